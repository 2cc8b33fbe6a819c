// What every shader of this package begins with.
//
// params is a block of 32-bit words. Word 0 is 0, word 2 is 0x80000000 (the bits of -0.0) and word 3 those of 1.0 when a
// shader runs. A compiler cannot know that, so what was computed with one of them can be contracted with nothing,
// reassociated with nothing, and folded into nothing.

// Any value, made opaque.
fn k_ex(v: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(v) | params[0].x);
}

// An operand: a compiler cannot know either that it equals the other one (x - x is no 0 if x is infinite). The zero is
// another one than that of k_ex, since twice the same would be merged.
fn k_apart(v: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(v) | (params[0].z & 0x7fffffffu));
}

// Number of a work item in a flat grid of workgroups of that size.
fn k_item(group: vec3<u32>, groups: vec3<u32>, lane: u32, size: u32) -> u32 {
    return (group.y * groups.x + group.x) * size + lane;
}

fn k_is_nan(v: f32) -> bool {
    return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u;
}
