// Every result and every second operand opaque: for compilers that rewrite fused multiply-adds as well (Mesa).

fn k_mul(x: f32, y: f32) -> f32 {
    return k_ex(x * y);
}

fn k_add(x: f32, y: f32) -> f32 {
    return k_ex(x + k_apart(y));
}

fn k_sub(x: f32, y: f32) -> f32 {
    return k_ex(x - k_apart(y));
}

fn k_mul4(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(k_mul(x.x, y.x), k_mul(x.y, y.y), k_mul(x.z, y.z), k_mul(x.w, y.w));
}

fn k_add4(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(k_add(x.x, y.x), k_add(x.y, y.y), k_add(x.z, y.z), k_add(x.w, y.w));
}
