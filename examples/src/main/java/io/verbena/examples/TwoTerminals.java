package io.verbena.examples;

import io.verbena.RdmaException;
import io.verbena.verbs.VerbsException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * The arguments of examples that are started twice: {@code server} or {@code client}, then a device and an address.
 *
 * @param server whether this is the one to start first
 * @param device what {@link io.verbena.verbs.Devices#open(String)} takes; by default one that other processes reach
 * @param address where the two introduce themselves over TCP: the server listens there; by default of this host only
 */
record TwoTerminals(boolean server, String device, InetSocketAddress address) {
    private static final int PORT = 18_516;
    private static final int MOST = 65_535;
    private static final String DEVICE = "soft?link=shm";
    private static final String USAGE =
            "arguments: server|client [DEVICE [[HOST:]PORT]], by default " + DEVICE + " localhost:" + PORT;

    /** Reads them, or explains them and ends the program. */
    static TwoTerminals of(String[] args) {
        if (args.length == 1 && List.of("-h", "--help").contains(args[0])) {
            System.out.println(USAGE);
            System.exit(0);
        }
        InetSocketAddress address = args.length > 2 ? address(args[2]) : local(PORT);
        if (args.length < 1 || args.length > 3 || !List.of("server", "client").contains(args[0]) || address == null) {
            System.err.println(USAGE);
            System.exit(2);
        }
        return new TwoTerminals(args[0].equals("server"), args.length > 1 ? args[1] : DEVICE, address);
    }

    private static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        String digits = text.substring(colon + 1);
        if (!digits.matches("[0-9]{1,5}") || Integer.parseInt(digits) > MOST) {
            return null;
        }
        int port = Integer.parseInt(digits);
        return colon < 0 ? local(port) : new InetSocketAddress(text.substring(0, colon), port);
    }

    /** A port of this host, which others can't reach. */
    static InetSocketAddress local(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** Runs the example; what keeps it from working is told in one line. */
    void run(Consumer<TwoTerminals> example) {
        try {
            example.accept(this);
        } catch (CompletionException e) {
            end(e.getCause()); // what a future's join has wrapped
        } catch (VerbsException | RdmaException | IllegalStateException | UncheckedIOException e) {
            end(e);
        }
    }

    private static void end(Throwable why) {
        System.err.println(why.getMessage());
        System.exit(1);
    }
}
