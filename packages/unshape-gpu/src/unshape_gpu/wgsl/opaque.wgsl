// What every shader of this package begins with.
//
// params is a block of 32-bit words; words 0 and 3 are 0 at run time. A compiler cannot know that, so a value that went
// through k_ex is opaque to it: it can be contracted with nothing, reassociated with nothing, and folded into nothing.

fn k_ex(v: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(v) | params[0].x);
}

// For an operand: a compiler cannot know either that it equals the other one (x - x is no 0 if x is infinite). The word is
// another one than that of k_ex, since twice the same would be merged.
fn k_apart(v: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(v) | params[0].w);
}

// For a sum that feeds another sum: opaque only where compilers reassociate.
fn k_sum(v: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(v) | K_SUM);
}

fn k_ex4(v: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(k_ex(v.x), k_ex(v.y), k_ex(v.z), k_ex(v.w));
}

fn k_sum4(v: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(k_sum(v.x), k_sum(v.y), k_sum(v.z), k_sum(v.w));
}

// Number of a work item in a flat grid of workgroups of that size.
fn k_item(group: vec3<u32>, groups: vec3<u32>, lane: u32, size: u32) -> u32 {
    return (group.y * groups.x + group.x) * size + lane;
}

fn k_is_nan(v: f32) -> bool {
    return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u;
}
