// One pass of resizing: the product of the first tap, then + the others, by a table.
//
// source    Element[rows at hand, elements of a row at hand]
// texels    i32[taps, length]: the texel or row at hand
// weights   f32[taps, length]
// result    Element[rows, elements of a row]

@group(0) @binding(1) var<storage, read> source: array<Element>;
@group(0) @binding(2) var<storage, read> texels: array<i32>;
@group(0) @binding(3) var<storage, read> weights: array<f32>;
@group(0) @binding(4) var<storage, read_write> result: array<Element>;

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let taps = params[1].x;
    let row_elements = params[1].y;
    let rows = params[1].z;
    let is_across = params[1].w == 1u;
    let step = params[2].x;
    let held_row = bitcast<i32>(params[2].y);
    let first_row = params[2].z;
    let hop = select(held_row, i32(step), is_across);
    let length = select(rows, row_elements / step, is_across);
    for (var y = id.y; y < rows; y = y + groups.y * 8u) {
        for (var x = id.x; x < row_elements; x = x + groups.x * 32u) {
            let place = select(y, x / step, is_across);
            let rest = select(i32(x), i32(y + first_row) * held_row + i32(x % step), is_across);
            var sum = e_mul(e_all(weights[place]), source[texels[place] * hop + rest]);
            for (var tap = 1u; tap < taps; tap = tap + 1u) {
                let index = tap * length + place;
                sum = e_add(sum, e_mul(e_all(weights[index]), source[texels[index] * hop + rest]));
            }
            result[y * row_elements + x] = sum;
        }
    }
}
