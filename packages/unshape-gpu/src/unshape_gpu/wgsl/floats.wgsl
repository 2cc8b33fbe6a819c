// float32 operations whose results WGSL leaves open: signs of zeros, NaN, order of minima.

// By the run-time sign bit, or compilers make b - a of -(a - b), which is another zero.
fn k_neg(v: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(v) ^ K_SIGN);
}

fn k_abs(v: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(v) & 0x7fffffffu);
}

// Compilers disagree on whether NaN differs from anything.
fn k_ne(a: f32, b: f32) -> bool {
    return (a != k_apart(b)) || k_is_nan(a) || k_is_nan(b);
}

// The second operand of the comparison is opaque, or compilers make a minimum of it that treats NaN and -0 otherwise.
fn k_min(a: f32, b: f32) -> f32 {
    return select(b, a, (a < k_apart(b)) || k_is_nan(a));
}

fn k_max(a: f32, b: f32) -> f32 {
    return select(b, a, (k_apart(b) < a) || k_is_nan(a));
}

// Rounding to whole numbers never changes the sign, not even of a zero.
fn k_signed(whole: f32, v: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(whole) & 0x7fffffffu) | (bitcast<u32>(v) & 0x80000000u));
}

fn k_floor(v: f32) -> f32 {
    return k_signed(floor(v), v);
}

fn k_ceil(v: f32) -> f32 {
    return k_signed(ceil(v), v);
}

fn k_trunc(v: f32) -> f32 {
    return k_signed(trunc(v), v);
}

fn k_round(v: f32) -> f32 {
    return k_signed(round(v), v);
}

// Times 1, so that a device without subnormal numbers takes them for 0 in every step: division is done in integers there.
fn k_mod(dividend: f32, divisor: f32) -> f32 {
    let one = bitcast<f32>(params[0].w);
    let a = k_mul(dividend, one);
    let b = k_mul(divisor, one);
    return k_sub(a, k_mul(b, k_floor(k_div(a, b))));
}

// a + t*(b - a)
fn k_lerp(t: f32, a: f32, b: f32) -> f32 {
    return k_add(a, k_mul(t, k_sub(b, a)));
}

// Into [low, high]; NaN stays.
fn k_clip(v: f32, low: f32, high: f32) -> f32 {
    return select(select(v, low, v < k_apart(low)), high, k_apart(high) < v);
}
