// Where a coordinate outside a picture is found, along one axis: an index into what is at hand of it.
// size is that of the whole picture; what is at hand begins at start and has held texels.

fn k_held(index: i32, start: i32, held: i32) -> i32 {
    return clamp(index - start, 0i, held - 1i);
}

fn k_place_clamp(index: i32, size: i32) -> i32 {
    return clamp(index, 0i, size - 1i);
}

fn k_place_repeat(index: i32, size: i32) -> i32 {
    return k_mod_i32(index, size);
}

// The remainder by twice the size, which may be larger than the largest i32.
fn k_place_mirror(index: i32, size: i32) -> i32 {
    let period = 2u * u32(size);
    let magnitude = bitcast<u32>(k_abs_i32(index));
    var folded = magnitude % period;
    if (index < 0i && folded != 0u) {
        folded = period - folded;
    }
    return i32(min(folded, period - 1u - folded));
}
