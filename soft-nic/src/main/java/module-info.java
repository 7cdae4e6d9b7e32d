/** The software NIC: a provider of the verbs API that needs no hardware. Programs reach it only through that API. */
module io.verbena.nic {
    requires io.verbena.rc;
    requires io.verbena.verbs;
    requires org.agrona;

    provides io.verbena.verbs.spi.Provider with io.verbena.nic.SoftProvider;
}
