/**
 * The software NIC: a provider of the verbs API that needs no hardware. Programs reach it only through that API; its
 * counters can be read by others through {@code io.verbena.nic.stat}.
 */
module io.verbena.nic {
    requires io.verbena.rc;
    requires io.verbena.verbs;
    requires jdk.net;
    requires org.agrona;

    exports io.verbena.nic.stat;

    provides io.verbena.verbs.spi.Provider with io.verbena.nic.SoftProvider;
}
