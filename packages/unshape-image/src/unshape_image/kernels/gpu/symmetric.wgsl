// A weighted sum along one axis whose weights are equal to both sides:
// w[0]*x[0], then for each distance d from 1 to the radius + w[d]*(x[-d] + x[d]).
//
// source    Element[rows at hand, elements of a row at hand]
// weights   f32[radius + 1]
// places    i32[length + 2*radius]: the texel or row at hand that stands at each place, -1 for zeros
// result    Element[rows, elements of a row]

@group(0) @binding(1) var<storage, read> source: array<Element>;
@group(0) @binding(2) var<storage, read> weights: array<f32>;
@group(0) @binding(3) var<storage, read> places: array<i32>;
@group(0) @binding(4) var<storage, read_write> result: array<Element>;

fn element(place: i32, hop: i32, rest: i32) -> Element {
    if (places[place] < 0i) {
        return Element();
    }
    return source[places[place] * hop + rest];
}

@compute @workgroup_size(32, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let radius = bitcast<i32>(params[1].x);
    let row_elements = params[1].y;
    let rows = params[1].z;
    let is_across = params[1].w == 1u;
    let step = params[2].x;
    let held_row = bitcast<i32>(params[2].y);
    let first_row = i32(params[2].z);
    let hop = select(held_row, i32(step), is_across);
    for (var y = id.y; y < rows; y = y + groups.y * 8u) {
        for (var x = id.x; x < row_elements; x = x + groups.x * 32u) {
            let first = i32(select(y, x / step, is_across));
            let rest = select(i32(x), (i32(y) + first_row) * held_row + i32(x % step), is_across);
            let low = places[first];
            var sum: Element;
            if (low >= 0i && places[first + 2i * radius] - low == 2i * radius) {
                let centre = (low + radius) * hop + rest;
                sum = e_ex(weights[0] * source[centre]);
                for (var d = 1i; d <= radius; d = d + 1i) {
                    let pair = e_sum(source[centre - d * hop] + source[centre + d * hop]);
                    sum = e_sum(sum + e_ex(weights[d] * pair));
                }
            } else {
                let centre = first + radius;
                sum = e_ex(weights[0] * element(centre, hop, rest));
                for (var d = 1i; d <= radius; d = d + 1i) {
                    let pair = e_sum(element(centre - d, hop, rest) + element(centre + d, hop, rest));
                    sum = e_sum(sum + e_ex(weights[d] * pair));
                }
            }
            result[y * row_elements + x] = sum;
        }
    }
}
