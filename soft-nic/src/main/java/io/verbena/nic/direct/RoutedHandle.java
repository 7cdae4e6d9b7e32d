package io.verbena.nic.direct;

import io.verbena.verbs.AddressHandle;

/** An address handle of the software NIC. */
public interface RoutedHandle extends AddressHandle {
    /** The way it stands for. */
    Route route();
}
