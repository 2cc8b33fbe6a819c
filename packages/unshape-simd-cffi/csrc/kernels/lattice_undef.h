/* Takes back the names of lattice.inc. */
#undef fade
#undef axis_mix
#undef signed_by
#undef lattice_columns
#undef lattice_row
#undef perlin_tables
#undef value_tables
#undef MAX_COLUMNS
#undef last_of
