/* Vectors of the expression language: one vector register for each component. */
#define vec2_v NAME(vec2_v)
#define vec3_v NAME(vec3_v)
#define vec4_v NAME(vec4_v)
typedef struct { vf c0, c1; } vec2_v;
typedef struct { vf c0, c1, c2; } vec3_v;
typedef struct { vf c0, c1, c2, c3; } vec4_v;
