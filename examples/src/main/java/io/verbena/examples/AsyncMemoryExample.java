package io.verbena.examples;

import io.verbena.LeaseExpiredException;
import io.verbena.LocalMemory;
import io.verbena.MemoryLease;
import io.verbena.RdmaConnection;
import io.verbena.RdmaNode;
import io.verbena.RdmaServer;
import io.verbena.RemoteMemory;
import io.verbena.verbs.Access;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletionException;

/**
 * Memory that changes hands, with the asynchronous API: start it with {@code server} in one terminal and with {@code
 * client} in another one. The client requests memory of the server for a while, writes an order there, and hands it
 * back. The server works in it where it lies, and lends it to the client, which reads the result.
 */
public final class AsyncMemoryExample {
    private static final int ROOM = 256;
    private static final Duration LEASE = Duration.ofSeconds(30);

    private AsyncMemoryExample() {}

    /**
     * Serves one client, or is it.
     *
     * @param args server or client, perhaps a device and an address
     */
    public static void main(String[] args) {
        TwoTerminals.of(args).run(AsyncMemoryExample::run);
    }

    private static void run(TwoTerminals given) {
        System.out.println(given.server()
                ? "worked on: " + serve(given.device(), given.address())
                : "the server made of it: " + order(given.device(), given.address(), "two teas, please"));
    }

    /** Works on one order; returns it. */
    static String serve(String device, InetSocketAddress address) {
        try (RdmaNode node = RdmaNode.open(device);
                RdmaServer server = node.listen(address);
                RdmaConnection client = server.accept().join();
                // The node has given this memory to the client; since it was handed back it is ours.
                LocalMemory order = client.receiveHandedBack().join()) {
            String text = order.readable().getString(0);
            order.writable().setString(0, text.toUpperCase(Locale.ROOT));
            // Closing the lease takes the key away. It ends by itself when this program forgets to.
            try (MemoryLease lease = order.expose(Access.REMOTE_READ, LEASE)) {
                client.sendMemory(lease).join();
                client.receive().join().close(); // the client has read
            }
            return text;
        }
    }

    /** Gives an order; returns what became of it. */
    static String order(String device, InetSocketAddress address, String text) {
        try (RdmaNode node = RdmaNode.open(device);
                RdmaConnection server = node.connect(address).join();
                LocalMemory local = node.memory().allocate(ROOM)) {
            RemoteMemory lent = server.requestMemory(ROOM, Access.REMOTE_WRITE, LEASE).join();
            local.writable().setString(0, text);
            server.write(local, lent).join();
            lent = server.renewMemory(lent, LEASE).join(); // from now on, had it taken us long
            server.handBackMemory(lent).join();

            RemoteMemory result = server.receiveMemory().join();
            server.read(local, result).join();
            tryTooLate(server, local);
            server.send(local.slice(0, 0)).join(); // an empty message
            return local.readable().getString(0);
        }
    }

    /** What is over is refused here, before it could do harm there. */
    private static void tryTooLate(RdmaConnection server, LocalMemory local) {
        RemoteMemory brief = server.requestMemory(ROOM, Access.REMOTE_WRITE, Duration.ofMillis(10)).join();
        while (!brief.isExpired()) {
            Thread.onSpinWait();
        }
        try {
            server.write(local, brief).join();
            throw new IllegalStateException("the lease is over, and the WRITE was not refused");
        } catch (CompletionException e) {
            if (!(e.getCause() instanceof LeaseExpiredException)) {
                throw e;
            }
        }
    }
}
