// Elements are read where they are: neighbourhoods that do not fit into workgroup memory.

var<private> held_left: u32;
var<private> held_top: u32;

fn hold(left: u32, top: u32, wide: u32, tall: u32, lane: u32) {
    held_left = left;
    held_top = top;
}

fn taken(x: u32, y: u32) -> Element {
    return stands_at(held_left + x, held_top + y);
}
