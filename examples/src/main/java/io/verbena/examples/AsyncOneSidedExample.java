package io.verbena.examples;

import io.verbena.BackPressure;
import io.verbena.ConnectionConfig;
import io.verbena.HandshakeConfig;
import io.verbena.LocalMemory;
import io.verbena.MemoryLease;
import io.verbena.RdmaConnection;
import io.verbena.RdmaFuture;
import io.verbena.RdmaNode;
import io.verbena.RdmaServer;
import io.verbena.RemoteMemory;
import io.verbena.verbs.Access;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A program works on the memory of another one, with the asynchronous API: start it with {@code server} in one terminal
 * and with {@code client} in another one. The server lends a page and waits. The client READs what is there, counts by
 * atomics, and leaves a text by a WRITE whose immediate data tell the server that it is done.
 */
public final class AsyncOneSidedExample {
    private static final int PAGE = 4096;
    private static final int ROOM = 64;
    private static final int GREETING = 0;
    private static final int TEXT = 1024;
    private static final int COUNTER = 2048;
    /** Who starts more operations than can be under way waits, instead of being refused. */
    private static final ConnectionConfig PATIENT =
            ConnectionConfig.DEFAULT.withBackPressure(BackPressure.block(Duration.ofSeconds(10)));

    private AsyncOneSidedExample() {}

    /**
     * Lends memory to one client, or is it.
     *
     * @param args server or client, perhaps a device and an address
     */
    public static void main(String[] args) {
        TwoTerminals.of(args).run(AsyncOneSidedExample::run);
    }

    private static void run(TwoTerminals given) {
        String name = "process " + ProcessHandle.current().pid();
        System.out.println(given.server() ? serve(given.device(), given.address())
                : "the server says: " + work(given.device(), given.address(), name, 1_000));
    }

    /** Lends memory to a client until it is done; returns what is there then. */
    static String serve(String device, InetSocketAddress address) {
        try (RdmaNode node = RdmaNode.open(device);
                RdmaServer server = node.listen(address);
                RdmaConnection client = server.accept().join();
                LocalMemory page = node.memory().allocate(PAGE);
                MemoryLease lease = page.expose(
                        Access.REMOTE_READ | Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) {
            page.writable().setString(GREETING, "help yourself");
            client.sendMemory(lease).join();
            int counted = client.receiveWriteImm().join(); // waits here all the time; the text is in place then
            return page.readable().getString(TEXT) + " counted up to " + counted;
        }
    }

    /** Works on the memory of the server; returns what was there at first. */
    static String work(String device, InetSocketAddress address, String name, int times) {
        try (RdmaNode node = RdmaNode.open(device);
                RdmaConnection server = node.connect(address, PATIENT, HandshakeConfig.DEFAULT).join();
                LocalMemory local = node.memory().allocate(ROOM)) {
            RemoteMemory page = server.receiveMemory().join();
            // Local and remote memory are of equal length: slices say which part is meant.
            server.read(local, page.slice(GREETING, ROOM)).join();
            String greeting = local.readable().getString(0);

            // All are under way together; each returns what was there before it.
            RemoteMemory counter = page.slice(COUNTER, Long.BYTES);
            List<RdmaFuture<Long>> counting = new ArrayList<>();
            for (int i = 0; i < times; i++) {
                counting.add(server.fetchAndAdd(counter, 1));
            }
            long counted = counting.getLast().join() + 1;
            // Swaps only if the counter is what it should be.
            if (server.compareAndSwap(counter, counted, 0).join() != counted) {
                throw new IllegalStateException("somebody else counts too");
            }

            local.writable().setString(0, name);
            server.writeWithImm(local, page.slice(TEXT, ROOM), (int) counted).join();
            return greeting;
        }
    }
}
