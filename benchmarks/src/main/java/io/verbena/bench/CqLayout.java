package io.verbena.bench;

/** How the queue pairs of an {@link Endpoint} share completion queues. */
public enum CqLayout {
    /** One queue for all sends, one for all receives. */
    TWO,
    /** One queue for everything, or as many as the device needs to hold all completions. */
    ONE,
    /** Two queues for each queue pair. */
    OWN
}
