// The texels that stand at each place.
//
// source    Element[rows at hand, elements of a row at hand]
// columns   i32[width]: the texel at hand that stands at each place, -1 for zeros
// lines     i32[height]: the row at hand, -1 for zeros
// result    Element[rows, elements of a row]

@group(0) @binding(1) var<storage, read> source: array<Element>;
@group(0) @binding(2) var<storage, read> columns: array<i32>;
@group(0) @binding(3) var<storage, read> lines: array<i32>;
@group(0) @binding(4) var<storage, read_write> result: array<Element>;

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let row_elements = params[1].x;
    let rows = params[1].y;
    let step = params[1].z;
    let held_row = bitcast<i32>(params[1].w);
    for (var y = id.y; y < rows; y = y + groups.y * 8u) {
        let line = lines[y];
        for (var x = id.x; x < row_elements; x = x + groups.x * 32u) {
            let texel = columns[x / step];
            var value = Element();
            if (line >= 0i && texel >= 0i) {
                value = source[line * held_row + texel * i32(step) + i32(x % step)];
            }
            result[y * row_elements + x] = value;
        }
    }
}
