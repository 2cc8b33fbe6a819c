// Division in integers, for every float32: the quotient bit by bit, rounded to nearest even, subnormal ones too.

// Mantissa of 24 bits and biased exponent of a finite number that is not 0.
fn k_unpack(magnitude: u32) -> vec2<i32> {
    let exponent = i32(magnitude >> 23u);
    if (exponent != 0i) {
        return vec2<i32>(i32((magnitude & 0x7fffffu) | 0x800000u), exponent);
    }
    let shift = i32(countLeadingZeros(magnitude)) - 8i;
    return vec2<i32>(i32(magnitude << u32(shift)), 1i - shift);
}

fn k_div_bitwise(x: f32, y: f32) -> f32 {
    let sign = (bitcast<u32>(x) ^ bitcast<u32>(y)) & 0x80000000u;
    let ax = bitcast<u32>(x) & 0x7fffffffu;
    let ay = bitcast<u32>(y) & 0x7fffffffu;
    let nan = 0x7fc00000u | params[0].x;
    if (ax > 0x7f800000u || ay > 0x7f800000u) {
        return bitcast<f32>(nan);
    }
    if (ax == 0x7f800000u) {
        return bitcast<f32>(select(sign | 0x7f800000u, nan, ay == 0x7f800000u) | params[0].x);
    }
    if (ay == 0x7f800000u) {
        return bitcast<f32>(sign | params[0].x);
    }
    if (ay == 0u) {
        return bitcast<f32>(select(sign | 0x7f800000u, nan, ax == 0u) | params[0].x);
    }
    if (ax == 0u) {
        return bitcast<f32>(sign | params[0].x);
    }
    let ux = k_unpack(ax);
    let uy = k_unpack(ay);
    var rest = u32(ux.x);
    let divisor = u32(uy.x);
    var exponent = ux.y - uy.y + 127i;
    if (rest < divisor) {
        rest = rest << 1u;
        exponent = exponent - 1i;
    }
    var quotient = 0u;
    for (var k = 0i; k < 25i; k = k + 1i) {
        quotient = quotient << 1u;
        if (rest >= divisor) {
            quotient = quotient | 1u;
            rest = rest - divisor;
        }
        rest = rest << 1u;
    }
    if (exponent >= 255i) {
        return bitcast<f32>((sign | 0x7f800000u) | params[0].x);
    }
    let shift = u32(clamp(1i - exponent, 0i, 30i));
    let base = select(0u, u32(max(exponent, 1i) - 1i) << 23u, exponent >= 1i);
    let kept = quotient >> (shift + 1u);
    let half = (quotient >> shift) & 1u;
    let is_inexact = rest != 0u || (quotient & ((1u << shift) - 1u)) != 0u;
    let up = select(0u, 1u, half == 1u && (is_inexact || (kept & 1u) == 1u));
    return bitcast<f32>((sign | (base + kept + up)) | params[0].x);
}
