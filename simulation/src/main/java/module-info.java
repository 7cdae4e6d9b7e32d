/** Connections over a simulated network in simulated time; everything follows from a seed. Never published. */
module io.verbena.sim {
    requires io.verbena.rc;
    requires org.agrona;

    exports io.verbena.sim;
}
