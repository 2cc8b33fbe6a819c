// Elements are read where they are: neighbourhoods that do not fit into workgroup memory.

var<private> held_first: u32;
var<private> held_beside: u32;

fn hold(first: u32, count: u32, beside: u32, others: u32, lane: u32) {
    held_first = first;
    held_beside = beside;
}

fn taken(place: u32, other: u32) -> Element {
    return stands_at(held_first + min(place, params[1].y + 2u * params[1].x - 1u - held_first), held_beside + other);
}
