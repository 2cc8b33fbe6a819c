// The mean of 2*radius + 1 neighbours, added as a tree: from the first neighbour on, runs whose lengths are the binary
// digits of that number follow each other, shortest first; each run is added pairwise, halves of halves, and the runs are
// joined from left to right. weights[0] is the reciprocal of the number.

fn begin(lane: u32, count: u32) {
}

fn run_sum(first: u32, level: u32, other: u32) -> Element {
    var halves: array<Element, 14>;
    let count = 1u << level;
    for (var k = 0u; k < count; k = k + 1u) {
        var sum = taken(first + k, other);
        var depth = 0u;
        for (var left = k; (left & 1u) == 1u; left = left >> 1u) {
            sum = e_add(halves[depth], sum);
            depth = depth + 1u;
        }
        halves[depth] = sum;
    }
    return halves[level];
}

fn mean(first: u32, other: u32) -> Element {
    let size = 2u * params[1].x + 1u;
    var sum = taken(first, other);
    var done = 1u;
    for (var level = 1u; done < size; level = level + 1u) {
        if ((size & (1u << level)) != 0u) {
            sum = e_add(sum, run_sum(first + done, level, other));
            done = done + (1u << level);
        }
    }
    return e_mul(sum, e_all(weights[0]));
}

fn four(first: u32, other: u32) -> array<Element, 4> {
    return array<Element, 4>(
        mean(first, other), mean(first + 1u, other), mean(first + 2u, other), mean(first + 3u, other)
    );
}
