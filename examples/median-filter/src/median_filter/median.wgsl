// The median of 3 x 3 pixels, one float for each work item. Binding 0 is the parameter block: word 1 is the number of
// work items, and the words that the kernel gives begin at params[1].x.

@group(0) @binding(1) var<storage, read> picture: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let item = k_item(group, groups, lane, 256u);
    if (item >= params[0].y) {
        return;
    }
    let width = params[1].x;
    let channels = params[1].y;
    let held = vec2<i32>(params[1].zw);
    let channel = item % channels;
    let pixel = item / channels;
    let centre = vec2<i32>(i32(pixel % width), i32(pixel / width)) + bitcast<vec2<i32>>(params[2].xy);
    var values: array<f32, 9>;
    for (var k = 0i; k < 9i; k = k + 1i) {
        let at = clamp(centre + vec2<i32>(k % 3i - 1i, k / 3i - 1i), vec2<i32>(0i), held - vec2<i32>(1i));
        let value = picture[u32(at.y * held.x + at.x) * channels + channel];
        // Insert it among those before, smallest first.
        var place = k;
        while (place > 0i && values[place - 1i] > value) {
            values[place] = values[place - 1i];
            place = place - 1i;
        }
        values[place] = value;
    }
    result[item] = values[4];
}
