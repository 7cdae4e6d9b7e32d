package io.verbena.examples;

import io.verbena.verbs.VerbsException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * The arguments of examples that are started twice: {@code server} or {@code client}, then a device and a port.
 *
 * @param server whether this is the one to start first
 * @param device what {@link io.verbena.verbs.Devices#open(String)} takes; by default one that other processes reach
 * @param port where the two introduce themselves
 */
record TwoTerminals(boolean server, String device, int port) {
    private static final int PORT = 18_516;
    private static final int MOST = 65_535;

    /** Reads them, or explains them and ends the program. */
    static TwoTerminals of(String[] args) {
        int port = args.length > 2 ? port(args[2]) : PORT;
        if (args.length < 1 || args.length > 3 || !List.of("server", "client").contains(args[0]) || port < 0) {
            System.err.println("arguments: server|client [DEVICE [PORT]], by default soft?link=shm " + PORT);
            System.exit(2);
        }
        return new TwoTerminals(args[0].equals("server"), args.length > 1 ? args[1] : "soft?link=shm", port);
    }

    private static int port(String text) {
        return text.matches("[0-9]{1,5}") && Integer.parseInt(text) <= MOST ? Integer.parseInt(text) : -1;
    }

    /** Runs the example; what keeps it from working is told in one line. */
    void run(Consumer<TwoTerminals> example) {
        try {
            example.accept(this);
        } catch (VerbsException | IllegalStateException | UncheckedIOException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }
}
