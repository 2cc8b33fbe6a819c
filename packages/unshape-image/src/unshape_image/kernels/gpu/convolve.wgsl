// A weighted sum over a neighbourhood: the product of the upper left tap, then + the other products, row by row.
//
// source    Element[rows at hand, elements of a row at hand]
// weights   f32[kernel height, kernel width]
// columns   i32[width + kernel width - 1]: the texel at hand that stands at each place, -1 for zeros
// lines     i32[height + kernel height - 1]: the row at hand, -1 for zeros
// result    Element[rows, elements of a row]

@group(0) @binding(1) var<storage, read> source: array<Element>;
@group(0) @binding(2) var<storage, read> weights: array<f32>;
@group(0) @binding(3) var<storage, read> columns: array<i32>;
@group(0) @binding(4) var<storage, read> lines: array<i32>;
@group(0) @binding(5) var<storage, read_write> result: array<Element>;

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let row_elements = params[1].x;
    let rows = params[1].y;
    let step = params[1].z;
    let held_row = bitcast<i32>(params[1].w);
    let width = bitcast<i32>(params[2].x);
    let height = bitcast<i32>(params[2].y);
    for (var y = id.y; y < rows; y = y + groups.y * 8u) {
        for (var x = id.x; x < row_elements; x = x + groups.x * 32u) {
            let column = i32(x / step);
            let channel = i32(x % step);
            var sum = Element();
            for (var row = 0i; row < height; row = row + 1i) {
                let line = lines[i32(y) + row];
                for (var tap = 0i; tap < width; tap = tap + 1i) {
                    let texel = columns[column + tap];
                    var value = Element();
                    if (line >= 0i && texel >= 0i) {
                        value = source[line * held_row + texel * i32(step) + channel];
                    }
                    let product = e_ex(weights[row * width + tap] * value);
                    if (row + tap == 0i) {
                        sum = product;
                    } else {
                        sum = e_sum(sum + product);
                    }
                }
            }
            result[y * row_elements + x] = sum;
        }
    }
}
