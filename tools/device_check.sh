#!/bin/sh
# Check and measure the backend "gpu" on a machine with a GPU: self-test, conformance suite, differing bits, figures.
#
#   sh tools/device_check.sh [WHEELS] [OUT]
#
# WHEELS  folder of wheels to install first, without an index: those of this workspace (uv build --all-packages --wheel)
#         and of wgpu, cffi, pycparser, rendercanvas, msgspec, xxhash, platformdirs, pytest, hypothesis; left out or
#         empty, the current environment is used as it is
# OUT     folder for the reports; the current one by default
#
# Environment: PYTHON, the interpreter; CHECK_TESTS=0 leaves out the conformance suite; CHECK_ARGUMENTS is passed to the
# measurement (--quick, --skip-cases).
set -u
wheels=${1:-}
out=${2:-.}
python=${PYTHON:-python3}
here=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$out"

if [ -n "$wheels" ]; then
    site=$(mktemp -d)
    "$python" -m pip install -q --no-index --no-deps --no-compile --upgrade --target "$site" "$wheels"/*.whl || exit 1
    PYTHONPATH=$site${PYTHONPATH:+:$PYTHONPATH}
    export PYTHONPATH
fi
# Drivers that lie outside of the loader's usual folders.
if [ -z "${VK_DRIVER_FILES:-}" ] && ! ls /usr/share/vulkan/icd.d/*nvidia* /etc/vulkan/icd.d/*nvidia* >/dev/null 2>&1; then
    for file in /usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json; do
        [ -f "$file" ] && export VK_DRIVER_FILES="$file"
    done
fi
PYTHONUNBUFFERED=1
export PYTHONUNBUFFERED

status=0
"$python" - <<'PY' || exit 1
from unshape_gpu.backend import open_backend
for backend in open_backend():
    facts = backend.capabilities
    print(backend.id, facts.device.name, "| software:", facts.device.is_software, "| features:", sorted(facts.features))
    print("  self-test:", backend.context.self_test.detail)
PY
"$python" "$here/packages/unshape-gpu/benchmarks/measure_device.py" ${CHECK_ARGUMENTS:-} 2>&1 | tee "$out/gpu_figures.md"
"$python" "$here/packages/unshape-gpu/benchmarks/faults.py" 2>&1 | tee "$out/gpu_faults.md"
"$python" "$here/packages/unshape-gpu/benchmarks/churn.py" 2>&1 | tee "$out/gpu_churn.md"
if [ "${CHECK_TESTS:-1}" != 0 ]; then
    "$python" -m pytest -q -p no:cacheprovider --unshape-require=gpu --tb=line -x --maxfail=30 \
        "$here/packages/unshape-gpu/tests" >"$out/gpu_tests.txt" 2>&1 || status=1
    tail -n 45 "$out/gpu_tests.txt"
fi
exit $status
