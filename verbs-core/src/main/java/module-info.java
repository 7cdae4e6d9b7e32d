/**
 * The verbs model: devices, contexts, protection domains, memory regions, completion queues, queue pairs, work
 * requests and work completions, and the interface through which a device provider is found.
 */
module io.verbena.verbs {
    exports io.verbena.verbs;
    exports io.verbena.verbs.spi;

    uses io.verbena.verbs.spi.Provider;
}
