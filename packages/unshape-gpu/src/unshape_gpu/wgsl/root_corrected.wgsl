// Square root, correctly rounded on devices that are off by a few ulp.
//
// A Newton step brings the device's root within one ulp; Tuckerman's test chooses among it and its neighbours. Small
// numbers are scaled by a power of four first, which is exact.

fn k_sqrt(x: f32) -> f32 {
    let bits = bitcast<u32>(x);
    if (bits - 0x1e000000u < 0x61800000u) {
        return k_sqrt_normal(x);
    }
    if (bits == 0u || bits == 0x80000000u || bits == 0x7f800000u) {
        return x;
    }
    if (bits > 0x7f800000u) {
        return bitcast<f32>(0x7fc00000u | params[0].x);
    }
    let scaled = x * 18446744073709551616.0f;
    if (scaled == 0.0f) {
        return scaled; // a device without subnormal numbers, of one of them
    }
    return k_sqrt_normal(scaled) * 2.3283064365386963e-10f;
}

fn k_sqrt_normal(x: f32) -> f32 {
    let first = sqrt(x);
    let near = fma(fma(-first, first, x), 0.5f / first, first);
    let below = bitcast<f32>(bitcast<u32>(near) - 1u);
    let above = bitcast<f32>(bitcast<u32>(near) + 1u);
    if (fma(-below, near, x) <= 0.0f) {
        return below;
    }
    return select(near, above, fma(-above, near, x) > 0.0f);
}
