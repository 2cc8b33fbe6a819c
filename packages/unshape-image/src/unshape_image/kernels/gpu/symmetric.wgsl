// A weighted sum whose weights are equal to both sides:
// w[0]*x[0], then for each distance d from 1 to the radius + w[d]*(x[-d] + x[d]).
// The windows to both sides of four places move by one element for each distance.

fn begin(lane: u32, count: u32) {
}

fn four(first: u32, other: u32) -> array<Element, 4> {
    let radius = params[1].x;
    let centre = first + radius;
    var left = array<Element, 4>(
        taken(centre, other), taken(centre + 1u, other), taken(centre + 2u, other), taken(centre + 3u, other)
    );
    var right = left;
    let middle = e_all(weights[0]);
    var sums = array<Element, 4>(
        e_mul(middle, left[0]), e_mul(middle, left[1]), e_mul(middle, left[2]), e_mul(middle, left[3])
    );
    for (var d = 1u; d <= radius; d = d + 1u) {
        left[3] = left[2];
        left[2] = left[1];
        left[1] = left[0];
        left[0] = taken(centre - d, other);
        right[0] = right[1];
        right[1] = right[2];
        right[2] = right[3];
        right[3] = taken(centre + 3u + d, other);
        let weight = e_all(weights[d]);
        sums[0] = e_add(sums[0], e_mul(weight, e_add(left[0], right[0])));
        sums[1] = e_add(sums[1], e_mul(weight, e_add(left[1], right[1])));
        sums[2] = e_add(sums[2], e_mul(weight, e_add(left[2], right[2])));
        sums[3] = e_add(sums[3], e_mul(weight, e_add(left[3], right[3])));
    }
    return sums;
}
