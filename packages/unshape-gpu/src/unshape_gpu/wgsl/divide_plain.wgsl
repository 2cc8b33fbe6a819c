// Division as the device does it.

fn k_div(x: f32, y: f32) -> f32 {
    return x / y;
}
