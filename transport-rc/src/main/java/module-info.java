/**
 * The deterministic parts of a reliable connection. Nothing here knows a clock, a thread, a socket or a
 * random source; whoever drives it passes those in as plain values.
 */
module io.verbena.rc {
    requires transitive io.verbena.verbs;
    requires org.agrona;

    exports io.verbena.rc;
    exports io.verbena.rc.memory;
    exports io.verbena.rc.packet;
}
