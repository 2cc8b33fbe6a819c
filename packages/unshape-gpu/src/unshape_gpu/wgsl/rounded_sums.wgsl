// Each product and each sum rounded by itself: a fused multiply-add with -0.0 is the product, one with 1.0 the sum. They
// cost what products and sums cost, and compilers can contract, reassociate and fold none of them.

fn k_mul(x: f32, y: f32) -> f32 {
    return fma(x, y, bitcast<f32>(params[0].z));
}

fn k_add(x: f32, y: f32) -> f32 {
    return fma(x, bitcast<f32>(params[0].w), y);
}

fn k_sub(x: f32, y: f32) -> f32 {
    return fma(-y, bitcast<f32>(params[0].w), x);
}

fn k_mul4(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    return fma(x, y, vec4<f32>(bitcast<f32>(params[0].z)));
}

fn k_add4(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    return fma(x, vec4<f32>(bitcast<f32>(params[0].w)), y);
}
