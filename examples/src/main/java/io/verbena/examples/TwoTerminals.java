package io.verbena.examples;

import java.util.List;

/**
 * The arguments of examples that are started twice: {@code server} or {@code client}, then a device and a port.
 *
 * @param server whether this is the one to start first
 * @param device what {@link io.verbena.verbs.Devices#open(String)} takes; by default one that other processes reach
 * @param port where the two introduce themselves
 */
record TwoTerminals(boolean server, String device, int port) {
    private static final int PORT = 18_516;

    /** Reads them, or explains them and ends the program. */
    static TwoTerminals of(String[] args) {
        if (args.length < 1 || args.length > 3 || !List.of("server", "client").contains(args[0])) {
            System.err.println("arguments: server|client [DEVICE [PORT]], by default soft?link=shm " + PORT);
            System.exit(2);
        }
        return new TwoTerminals(args[0].equals("server"), args.length > 1 ? args[1] : "soft?link=shm",
                args.length > 2 ? Integer.parseInt(args[2]) : PORT);
    }
}
