// Each product rounded by itself: a fused multiply-add with -0.0 is the product, and nothing can be added to it any more.
// It costs what a product costs. For compilers that contract, but leave sums as they are written.

fn k_mul(x: f32, y: f32) -> f32 {
    return fma(x, y, bitcast<f32>(params[0].z));
}

fn k_add(x: f32, y: f32) -> f32 {
    return x + y;
}

fn k_sub(x: f32, y: f32) -> f32 {
    return x - y;
}

fn k_mul4(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    return fma(x, y, vec4<f32>(bitcast<f32>(params[0].z)));
}

fn k_add4(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    return x + y;
}
