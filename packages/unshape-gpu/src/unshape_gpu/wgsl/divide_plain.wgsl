// Division as the device does it. The divisor is opaque: compilers make a product of a quotient by a literal, and 1 of
// that of a number by itself.

fn k_div(x: f32, y: f32) -> f32 {
    return x / k_apart(y);
}
