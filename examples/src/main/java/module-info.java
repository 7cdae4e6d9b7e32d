/** Small programs to copy from. */
module io.verbena.examples {
    requires io.verbena.async;
    requires io.verbena.verbs;
}
