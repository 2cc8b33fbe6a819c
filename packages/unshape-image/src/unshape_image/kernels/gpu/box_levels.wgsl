// The mean of 2*radius + 1 neighbours as in box.wgsl, for what is held in workgroup memory: the sums of all runs of one
// length follow from those of half that length, by one addition each, so that all work items share them.

const PER_LANE = CAPACITY / LANES;

var<private> sums_of: array<Element, 4u * BLOCKS>;

fn begin(lane: u32, count: u32) {
    let size = 2u * params[1].x + 1u;
    let total = count * STRIP;
    take(lane, 0u, true);
    var done = 1u;
    for (var length = 2u; length <= size; length = 2u * length) {
        let hop = STRIP * (length / 2u);
        var sums: array<Element, PER_LANE>;
        for (var k = 0u; k < PER_LANE; k = k + 1u) {
            let index = lane + k * LANES;
            if (index + hop < total) {
                sums[k] = e_add(tile[slot(index)], tile[slot(index + hop)]);
            }
        }
        workgroupBarrier();
        for (var k = 0u; k < PER_LANE; k = k + 1u) {
            let index = lane + k * LANES;
            if (index + hop < total) {
                tile[slot(index)] = sums[k];
            }
        }
        workgroupBarrier();
        if ((size & length) != 0u) {
            take(lane, done, false);
            done = done + length;
        }
    }
}

// Add the runs that begin so many places behind the beginning of each neighbourhood to its sum.
fn take(lane: u32, place: u32, is_first: bool) {
    if (lane / STRIP >= RUNS) {
        return;
    }
    for (var k = 0u; k < 4u * BLOCKS; k = k + 1u) {
        let value = taken(4u * (k / 4u * RUNS + lane / STRIP) + k % 4u + place, lane % STRIP);
        if (is_first) {
            sums_of[k] = value;
        } else {
            sums_of[k] = e_add(sums_of[k], value);
        }
    }
}

fn four(first: u32, other: u32) -> array<Element, 4> {
    let k = 4u * (first / (4u * RUNS));
    let share = e_all(weights[0]);
    return array<Element, 4>(
        e_mul(sums_of[k], share), e_mul(sums_of[k + 1u], share),
        e_mul(sums_of[k + 2u], share), e_mul(sums_of[k + 3u], share)
    );
}
