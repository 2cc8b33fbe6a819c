/* Takes back the names of planes.inc and sample.inc. */
#undef load
#undef load_planes
#undef store
#undef output_at
#undef interleave
#undef component
#undef sample
#undef fetch
#undef f4
#undef texel_axis
#undef place
#undef place_all
#undef place_axis
#undef bilinear
#undef gather_texels
#undef store_past_caches
#undef bilinear_inside
