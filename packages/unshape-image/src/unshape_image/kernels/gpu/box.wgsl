// The mean of 2*radius + 1 neighbours along one axis, added as a tree: from the first neighbour on, runs whose lengths are
// the binary digits of that number follow each other, shortest first; each run is added pairwise, halves of halves, and
// the runs are joined from left to right.
//
// source    Element[rows at hand, elements of a row at hand]
// places    i32[length + 2*radius]: the texel or row at hand that stands at each place, -1 for zeros
// result    Element[rows, elements of a row]

@group(0) @binding(1) var<storage, read> source: array<Element>;
@group(0) @binding(2) var<storage, read> places: array<i32>;
@group(0) @binding(3) var<storage, read_write> result: array<Element>;

fn element(place: i32, hop: i32, rest: i32) -> Element {
    if (places[place] < 0i) {
        return Element();
    }
    return source[places[place] * hop + rest];
}

fn run(first: i32, level: u32, hop: i32, rest: i32) -> Element {
    var halves: array<Element, 14>;
    let count = 1i << level;
    for (var k = 0i; k < count; k = k + 1i) {
        var sum = element(first + k, hop, rest);
        var depth = 0u;
        for (var left = k; (left & 1i) == 1i; left = left >> 1u) {
            sum = e_sum(halves[depth] + sum);
            depth = depth + 1u;
        }
        halves[depth] = sum;
    }
    return halves[level];
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
    let share = bitcast<f32>(params[2].w);
    let hop = select(held_row, i32(step), is_across);
    let size = 2i * radius + 1i;
    for (var y = id.y; y < rows; y = y + groups.y * 8u) {
        for (var x = id.x; x < row_elements; x = x + groups.x * 32u) {
            let first = i32(select(y, x / step, is_across));
            let rest = select(i32(x), (i32(y) + first_row) * held_row + i32(x % step), is_across);
            var sum = element(first, hop, rest);
            var done = 1i;
            for (var level = 1u; done < size; level = level + 1u) {
                if ((size & (1i << level)) != 0i) {
                    sum = e_sum(sum + run(first + done, level, hop, rest));
                    done = done + (1i << level);
                }
            }
            result[y * row_elements + x] = sum * share;
        }
    }
}
