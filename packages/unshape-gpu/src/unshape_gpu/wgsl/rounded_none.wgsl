// Products, sums and differences as compilers like them: for precision="fast".

fn k_mul(x: f32, y: f32) -> f32 {
    return x * y;
}

fn k_add(x: f32, y: f32) -> f32 {
    return x + y;
}

fn k_sub(x: f32, y: f32) -> f32 {
    return x - y;
}

fn k_mul4(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    return x * y;
}

fn k_add4(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    return x + y;
}
