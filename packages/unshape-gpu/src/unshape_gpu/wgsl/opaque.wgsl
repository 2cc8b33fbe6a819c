// What every shader of this package begins with.
//
// params is a block of 32-bit words; word 0 is 0 at run time. A compiler cannot know that, so a value that went through
// k_ex is opaque to it: it can be contracted with nothing, reassociated with nothing, and folded into nothing.

fn k_ex(v: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(v) | params[0].x);
}

fn k_is_nan(v: f32) -> bool {
    return (bitcast<u32>(v) & 0x7fffffffu) > 0x7f800000u;
}
