// One pass of a separable filter along one axis of a picture. A workgroup computes a tile: so many places along the axis,
// in a strip of STRIP elements beside each other; a work item computes four places that follow each other, so that they
// share what they read.
//
// source    Element[rows at hand, elements of a row at hand]
// places    i32[length + 2*radius]: the texel or row at hand that stands at each place, -1 for zeros
// weights   f32[...]: what the filter makes of them
// result    Element[rows, elements of a row]
//
// STRIP, LANES and BLOCKS are constants before this text; "held_tile" or "held_direct" is how elements are read. A filter
// is fn begin(lane: u32, count: u32), called by all work items when count places are held, and
// fn four(first: u32, other: u32) -> array<Element, 4>, of places whose neighbourhoods begin at first.

@group(0) @binding(1) var<storage, read> source: array<Element>;
@group(0) @binding(2) var<storage, read> places: array<i32>;
@group(0) @binding(3) var<storage, read> weights: array<f32>;
@group(0) @binding(4) var<storage, read_write> result: array<Element>;

const RUNS = LANES / STRIP;

fn stands_at(place: u32, beside: u32) -> Element {
    let held = places[place];
    if (held < 0i) {
        return e_all(0.0f);
    }
    return source[u32(held) * params[2].x + beside];
}

@compute @workgroup_size(LANES)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let length = params[1].y;
    let tiles_along = params[1].z;
    let limit = params[1].w;
    let number = group.y * groups.x + group.x;
    let tile = min(number, params[0].y - 1u);
    let strip = tile / tiles_along;
    let first = (tile - strip * tiles_along) * (4u * RUNS * BLOCKS);
    let beside = strip * params[2].y + params[2].z;
    let count = min(4u * RUNS * BLOCKS, length - first) + 2u * params[1].x;
    hold(first, count, beside, limit - strip * STRIP, lane);
    begin(lane, count);
    let other = lane % STRIP;
    let run = lane / STRIP;
    if (number > tile || run >= RUNS || strip * STRIP + other >= limit) {
        return;
    }
    for (var block = 0u; block < BLOCKS; block = block + 1u) {
        let near = 4u * (block * RUNS + run);
        let place = first + near;
        if (place >= length) {
            return;
        }
        let sums = four(near, other);
        let hop = params[2].w;
        let written = strip * params[3].x + other + place * hop;
        result[written] = sums[0];
        if (place + 1u < length) {
            result[written + hop] = sums[1];
        }
        if (place + 2u < length) {
            result[written + 2u * hop] = sums[2];
        }
        if (place + 3u < length) {
            result[written + 3u * hop] = sums[3];
        }
    }
}
