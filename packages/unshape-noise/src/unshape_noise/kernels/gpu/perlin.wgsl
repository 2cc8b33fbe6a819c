// Fractal Perlin noise on a grid: the operations of perlin.py and fractal.py, shared by all pixels that need the same ones.
//
// A workgroup computes a tile of 256 columns and ROWS rows. What a lattice cell contributes to a row, the A, B, D and E of
// perlin.py, is computed once for the tile and looked up by its pixels; octaves whose cells are smaller than two pixels are
// computed pixel by pixel.
//
// result     f32[rows, columns]
//
// params[1]           first column, first row, columns, rows of the window
// params[2]           width, height, scale, offset of x
// params[3]           offset of y, octaves, reciprocal of the sum of amplitudes, tiles across
// params[4 + 2*k]     frequency, amplitude, shift of x, shift of y of octave k
// params[5 + 2*k]     its hashed seed, its first entry, its entries
// params[64 to 79]    the octave of each of 256 entries, a byte each, 255 for none
//
// MODE, 0 for fbm, 1 for billow and 2 for ridged, and the gradients T0 to T3 are constants before this text.

@group(0) @binding(1) var<storage, read_write> result: array<f32>;

const ROWS = 4u;
const LANES = 256u;
const MOST_OCTAVES = 30u;

// Of each octave and row: offset in the cell, fade of it, and the row's parts of the hashes, as bits.
var<workgroup> rows_of: array<vec4<u32>, 120>;
// Of each octave: the lattice column of the tile's first pixel.
var<workgroup> first_of: array<i32, 30>;
var<workgroup> cells: array<vec4<f32>, 1024>;

fn fade(t: f32) -> f32 {
    let inner = k_add(k_mul(t, k_sub(k_mul(t, 6.0f), 15.0f)), 10.0f);
    return k_mul(k_mul(k_mul(t, t), t), inner);
}

fn mixed(salted: u32) -> u32 {
    return (salted ^ (salted >> 15u)) * 0x846ca68bu;
}

fn column_hash(index: i32, seed: u32) -> u32 {
    return mixed(bitcast<u32>(index) * 0x9e3779b1u + seed);
}

fn row_hash(index: i32, seed: u32) -> u32 {
    return mixed((bitcast<u32>(index) * 0x85ebca77u) ^ seed);
}

fn gradient(hash: u32) -> vec2<f32> {
    let low = (hash & 0x10000000u) != 0u;
    let high = (hash & 0x20000000u) != 0u;
    let x = select(select(T0, T1, low), select(T2, T3, low), high);
    let y = select(select(T3, T2, low), select(T1, T0, low), high);
    return vec2<f32>(
        bitcast<f32>(bitcast<u32>(x) ^ (hash & 0x80000000u)),
        bitcast<f32>(bitcast<u32>(y) ^ ((hash << 1u) & 0x80000000u))
    );
}

// A and B of a lattice column.
fn column(hash: u32, y: vec4<u32>) -> vec2<f32> {
    let offset = bitcast<f32>(y.x);
    let v = bitcast<f32>(y.y);
    let upper = gradient((hash ^ y.z) * 0x7feb352du);
    let lower = gradient((hash ^ y.w) * 0x7feb352du);
    return vec2<f32>(
        k_lerp(v, upper.x, lower.x),
        k_lerp(v, k_mul(upper.y, offset), k_mul(lower.y, k_sub(offset, 1.0f)))
    );
}

// A, B, D and E of a cell between two lattice columns.
fn cell(left: u32, right: u32, y: vec4<u32>) -> vec4<f32> {
    let a = column(left, y);
    let b = column(right, y);
    return vec4<f32>(a, k_sub(b.x, a.x), k_sub(k_sub(b.y, b.x), a.y));
}

fn noise(c: vec4<f32>, x: f32, u: f32) -> f32 {
    return k_add(k_add(k_mul(c.x, x), c.y), k_mul(u, k_add(k_mul(c.z, x), c.w)));
}

fn position(pixel: i32, size: u32, scale: f32, offset: f32) -> f32 {
    return k_add(k_mul(k_div(k_add(f32(pixel), 0.5f), f32(bitcast<i32>(size))), scale), offset);
}

fn in_octave(p: f32, frequency: u32, shift: u32) -> f32 {
    return k_add(k_mul(p, bitcast<f32>(frequency)), bitcast<f32>(shift));
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = group.y * groups.x + group.x;
    let tile = min(number, params[0].y - 1u);
    let tile_row = tile / params[3].w;
    let left = (tile - tile_row * params[3].w) * LANES;
    let top = tile_row * ROWS;
    let octaves = params[3].y;
    let scale = bitcast<f32>(params[2].z);
    let x0 = bitcast<i32>(params[1].x) + i32(left);
    let y0 = bitcast<i32>(params[1].y) + i32(top);

    if (lane < octaves * ROWS) {
        let k = lane / ROWS;
        let octave = params[4u + 2u * k];
        let seed = params[5u + 2u * k].x;
        let p = position(y0 + i32(lane % ROWS), params[2].y, scale, bitcast<f32>(params[3].x));
        let y = in_octave(p, octave.x, octave.w);
        let lower = k_floor(y);
        let index = k_to_i32(lower);
        let offset = k_sub(y, lower);
        rows_of[lane] = vec4<u32>(
            bitcast<u32>(offset), bitcast<u32>(fade(offset)), row_hash(index, seed), row_hash(index + 1i, seed)
        );
    }
    if (lane < octaves) {
        let octave = params[4u + 2u * lane];
        let p = position(x0, params[2].x, scale, bitcast<f32>(params[2].w));
        first_of[lane] = k_to_i32(k_floor(in_octave(p, octave.x, octave.z)));
    }
    workgroupBarrier();

    let k = (params[64u + lane / 16u][(lane / 4u) % 4u] >> (8u * (lane % 4u))) & 0xffu;
    if (k < octaves) {
        let about = params[5u + 2u * k];
        let index = first_of[k] + i32(lane - about.y);
        let a = column_hash(index, about.x);
        let b = column_hash(index + 1i, about.x);
        for (var r = 0u; r < ROWS; r = r + 1u) {
            cells[r * LANES + lane] = cell(a, b, rows_of[k * ROWS + r]);
        }
    }
    workgroupBarrier();

    let x = left + lane;
    if (number > tile || x >= params[1].z) {
        return;
    }
    let p = position(x0 + i32(lane), params[2].x, scale, bitcast<f32>(params[2].w));
    var sums = vec4<f32>(0.0f);
    var weights = vec4<f32>(1.0f);
    for (var k = 0u; k < octaves; k = k + 1u) {
        let octave = params[4u + 2u * k];
        let about = params[5u + 2u * k];
        let at = in_octave(p, octave.x, octave.z);
        let lower = k_floor(at);
        let index = k_to_i32(lower);
        let offset = k_sub(at, lower);
        let u = fade(offset);
        var c0: vec4<f32>;
        var c1: vec4<f32>;
        var c2: vec4<f32>;
        var c3: vec4<f32>;
        if (about.z != 0u) {
            let entry = about.y + min(u32(index - first_of[k]), about.z - 1u);
            c0 = cells[entry];
            c1 = cells[LANES + entry];
            c2 = cells[2u * LANES + entry];
            c3 = cells[3u * LANES + entry];
        } else {
            let a = column_hash(index, about.x);
            let b = column_hash(index + 1i, about.x);
            c0 = cell(a, b, rows_of[k * ROWS]);
            c1 = cell(a, b, rows_of[k * ROWS + 1u]);
            c2 = cell(a, b, rows_of[k * ROWS + 2u]);
            c3 = cell(a, b, rows_of[k * ROWS + 3u]);
        }
        let values = vec4<f32>(noise(c0, offset, u), noise(c1, offset, u), noise(c2, offset, u), noise(c3, offset, u));
        var terms = values;
        if (MODE == 1u) {
            terms = vec4<f32>(bumps(values.x), bumps(values.y), bumps(values.z), bumps(values.w));
        }
        if (MODE == 2u) {
            terms = k_mul4(crests(values), weights);
            let doubled = k_mul4(terms, vec4<f32>(2.0f));
            weights = vec4<f32>(
                k_min(doubled.x, 1.0f), k_min(doubled.y, 1.0f), k_min(doubled.z, 1.0f), k_min(doubled.w, 1.0f)
            );
        }
        sums = k_add4(sums, k_mul4(vec4<f32>(bitcast<f32>(octave.y)), terms));
    }
    var values = k_mul4(sums, vec4<f32>(bitcast<f32>(params[3].z)));
    if (MODE == 2u) {
        values = k_add4(k_mul4(values, vec4<f32>(2.0f)), vec4<f32>(-1.0f));
    }
    for (var r = 0u; r < ROWS; r = r + 1u) {
        if (top + r < params[1].w) {
            result[(top + r) * params[1].z + x] = values[r];
        }
    }
}

fn bumps(n: f32) -> f32 {
    return k_sub(k_mul(k_abs(n), 2.0f), 1.0f);
}

fn crests(n: vec4<f32>) -> vec4<f32> {
    let ridge = vec4<f32>(
        k_sub(1.0f, k_abs(n.x)), k_sub(1.0f, k_abs(n.y)), k_sub(1.0f, k_abs(n.z)), k_sub(1.0f, k_abs(n.w))
    );
    return k_mul4(ridge, ridge);
}
