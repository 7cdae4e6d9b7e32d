package io.verbena.nic.ring;

/** Told when a message that travelled in a completion entry can't be put into its receive's buffers any more. */
public interface DeliveryListener {
    /** The receive ended in a protection error; the queue pair must go to ERR. */
    void deliveryFailed();
}
