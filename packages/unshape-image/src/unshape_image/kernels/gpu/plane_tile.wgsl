// Elements are read once, into workgroup memory.

var<workgroup> tile_elements: array<Element, CAPACITY>;
var<private> pitch: u32;

fn hold(left: u32, top: u32, wide: u32, tall: u32, lane: u32) {
    pitch = wide;
    for (var index = lane; index < wide * tall; index = index + 256u) {
        let y = index / wide;
        tile_elements[index] = stands_at(left + index - y * wide, top + y);
    }
    workgroupBarrier();
}

fn taken(x: u32, y: u32) -> Element {
    return tile_elements[y * pitch + x];
}
