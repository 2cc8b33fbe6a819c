// Integer operations: division and remainder floor, division by zero gives 0, conversions saturate.

fn k_div_u32(a: u32, b: u32) -> u32 {
    return select(a / max(b, 1u), 0u, b == 0u);
}

fn k_mod_u32(a: u32, b: u32) -> u32 {
    return select(a % max(b, 1u), 0u, b == 0u);
}

fn k_neg_i32(a: i32) -> i32 {
    return bitcast<i32>(0u - bitcast<u32>(a));
}

fn k_abs_i32(a: i32) -> i32 {
    return select(a, k_neg_i32(a), a < 0i);
}

fn k_div_i32(a: i32, b: i32) -> i32 {
    if (b == 0i) {
        return 0i;
    }
    if (b == -1i) {
        return k_neg_i32(a);
    }
    let quotient = a / b;
    let rest = a - quotient * b;
    return select(quotient, quotient - 1i, rest != 0i && ((rest < 0i) != (b < 0i)));
}

fn k_mod_i32(a: i32, b: i32) -> i32 {
    if (b == 0i || b == -1i) {
        return 0i;
    }
    let rest = a - (a / b) * b;
    return select(rest, rest + b, rest != 0i && ((rest < 0i) != (b < 0i)));
}

// Selections, not branches: the conversion itself ends near the largest i32, and of NaN it makes anything.
fn k_to_i32(v: f32) -> i32 {
    let near = select(i32(v), 2147483647i, v >= 2147483648.0f);
    return select(near, 0i, k_is_nan(v));
}

fn k_to_u32(v: f32) -> u32 {
    let near = select(u32(v), 0xffffffffu, v >= 4294967296.0f);
    return select(near, 0u, k_is_nan(v));
}
