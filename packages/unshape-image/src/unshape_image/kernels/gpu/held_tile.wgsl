// Elements are read once, into workgroup memory. An element is left out now and then, so that work items that read four
// places apart meet in no bank.

var<workgroup> tile: array<Element, CAPACITY>;

fn slot(index: u32) -> u32 {
    return index + index / PADDING;
}

fn hold(first: u32, count: u32, beside: u32, others: u32, lane: u32) {
    for (var index = lane; index < count * STRIP; index = index + LANES) {
        let other = index % STRIP;
        if (other < others) {
            tile[slot(index)] = stands_at(first + index / STRIP, beside + other);
        }
    }
    workgroupBarrier();
}

fn taken(place: u32, other: u32) -> Element {
    return tile[slot(place * STRIP + other)];
}
