/* Takes back the names of vectors.h. */
#undef vec2_v
#undef vec3_v
#undef vec4_v
