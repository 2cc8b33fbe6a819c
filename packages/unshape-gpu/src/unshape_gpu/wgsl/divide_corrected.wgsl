// Division, correctly rounded on devices that are off by a few ulp.
//
// A Newton step brings the product with the device's reciprocal within one ulp; of it and its neighbour in the direction
// of the remainder the one with the smaller remainder is the right one (fma gives remainders exactly; a tie is
// impossible). Where an intermediate result could leave the range of normal numbers, the quotient is found bit by bit.
// The divisor is opaque: compilers that know it, a literal, regroup the steps into one product.

fn k_div(x: f32, divisor: f32) -> f32 {
    let y = k_apart(divisor);
    let ex = (bitcast<u32>(x) >> 23u) & 0xffu;
    let ey = (bitcast<u32>(y) >> 23u) & 0xffu;
    if (ex - 60u <= 190u && ey - 4u <= 246u && ex + 110u - ey <= 230u) {
        let share = 1.0f / y;
        let first = k_mul(x, share);
        let near = fma(fma(-y, first, x), share, first);
        let rest = fma(-y, near, x);
        let is_larger = ((bitcast<u32>(rest) ^ bitcast<u32>(x)) & 0x80000000u) == 0u;
        let other = bitcast<f32>(bitcast<u32>(near) + select(0xffffffffu, 1u, is_larger));
        return select(near, other, abs(fma(-y, other, x)) < abs(rest));
    }
    return k_div_bitwise(x, y);
}
