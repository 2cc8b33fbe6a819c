// A weighted sum over a neighbourhood: the product of the upper left tap, then + the other products, row by row.
// A workgroup computes a tile of WIDE elements and TALL rows.
//
// source    Element[rows at hand, elements of a row at hand]
// weights   f32[kernel height, kernel width]
// columns   i32[width + kernel width - 1]: the texel at hand that stands at each place, -1 for zeros
// lines     i32[height + kernel height - 1]: the row at hand, -1 for zeros
// result    Element[rows, elements of a row]
//
// WIDE, TALL and STEP, the elements of a texel, are constants before this text; "plane_tile" or "plane_direct" is how
// elements are read.

@group(0) @binding(1) var<storage, read> source: array<Element>;
@group(0) @binding(2) var<storage, read> weights: array<f32>;
@group(0) @binding(3) var<storage, read> columns: array<i32>;
@group(0) @binding(4) var<storage, read> lines: array<i32>;
@group(0) @binding(5) var<storage, read_write> result: array<Element>;

// The element at a place of the neighbourhoods of all outputs.
fn stands_at(x: u32, y: u32) -> Element {
    let line = lines[y];
    let texel = columns[x / STEP];
    if (line < 0i || texel < 0i) {
        return e_all(0.0f);
    }
    return source[u32(line) * params[1].z + u32(texel) * STEP + x % STEP];
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let row_elements = params[1].x;
    let rows = params[1].y;
    let tiles_across = params[1].w;
    let width = params[2].x;
    let height = params[2].y;
    let number = group.y * groups.x + group.x;
    let tile = min(number, params[0].y - 1u);
    let tile_row = tile / tiles_across;
    let left = (tile - tile_row * tiles_across) * WIDE;
    let top = tile_row * TALL;
    let margin = (width - 1u) * STEP;
    hold(left, top, min(WIDE, row_elements - left) + margin, min(TALL, rows - top) + height - 1u, lane);
    if (number > tile) {
        return;
    }
    for (var index = lane; index < WIDE * TALL; index = index + 256u) {
        let x = index % WIDE;
        let y = index / WIDE;
        if (left + x < row_elements && top + y < rows) {
            var sum = e_mul(e_all(weights[0]), taken(x, y));
            for (var tap = 1u; tap < width; tap = tap + 1u) {
                sum = e_add(sum, e_mul(e_all(weights[tap]), taken(x + tap * STEP, y)));
            }
            for (var row = 1u; row < height; row = row + 1u) {
                for (var tap = 0u; tap < width; tap = tap + 1u) {
                    sum = e_add(sum, e_mul(e_all(weights[row * width + tap]), taken(x + tap * STEP, y + row)));
                }
            }
            result[(top + y) * row_elements + left + x] = sum;
        }
    }
}
