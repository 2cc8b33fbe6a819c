// Square root as the device does it.

fn k_sqrt(x: f32) -> f32 {
    return sqrt(x);
}
