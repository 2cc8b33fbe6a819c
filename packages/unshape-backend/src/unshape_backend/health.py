"""Health: how a backend has done so far, and when it is left alone."""

from __future__ import annotations

from dataclasses import dataclass

from unshape_backend.errors import DeviceLostError

FAILURES_UNTIL_SET_ASIDE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How a backend has done so far.

    Parameters
    ----------
    failures : int
        How often it could not do its work.
    last_error : str
        What went wrong last.
    is_set_aside : bool
        Whether it is left alone from now on.
    """

    failures: int = 0
    last_error: str = ""
    is_set_aside: bool = False

    def __str__(self) -> str:
        plural = "" if self.failures == 1 else "s"
        return f"after {self.failures} failure{plural}, the last: {self.last_error}"

    def after(self, error: BaseException, *, may_be_set_aside: bool) -> Health:
        """Return the health after one more failure: the third one, or a lost device, is one too many.

        Parameters
        ----------
        error : BaseException
            What went wrong.
        may_be_set_aside : bool
            False for a backend behind which there is none.
        """
        failures = self.failures + 1
        is_too_many = failures >= FAILURES_UNTIL_SET_ASIDE or isinstance(error, DeviceLostError)
        return Health(
            failures=failures,
            last_error=str(error) or type(error).__name__,
            is_set_aside=self.is_set_aside or (is_too_many and may_be_set_aside),
        )
