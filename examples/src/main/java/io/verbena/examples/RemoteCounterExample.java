package io.verbena.examples;

import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.SendFlags;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;

/**
 * A program works on the memory of another one that does nothing: start it with {@code server} in one terminal and
 * with {@code client} in another one. The server lends memory and waits on a socket, while the client counts there by
 * atomics and leaves its name by a WRITE.
 */
public final class RemoteCounterExample {
    private static final long NAME = 64;
    private static final long SCRATCH = 1024;
    private static final int ROOM = 64;

    private RemoteCounterExample() {}

    /**
     * Lends memory to one client, or is it.
     *
     * @param args server or client, perhaps a device and an address
     */
    public static void main(String[] args) {
        TwoTerminals.of(args).run(RemoteCounterExample::run);
    }

    private static void run(TwoTerminals given) {
        String name = "process " + ProcessHandle.current().pid();
        System.out.println(given.server() ? serve(given.device(), given.address())
                : "counted up to " + count(given.device(), given.address(), name, 1_000));
    }

    /** Lends memory until the client is done; returns what it finds there then. */
    static String serve(String device, InetSocketAddress address) {
        try (ExampleEnd end = new ExampleEnd(device); Introduction client = Introduction.await(address)) {
            String own = end.describe().format() + ' ' + end.region.address() + ' ' + end.region.rkey();
            end.connect(QueuePairEndpoint.parse(client.swap(own)));
            client.swap("ready");
            client.swap("done"); // waits here all the time
            return end.region.segment().getString(NAME) + " counted up to "
                    + end.region.segment().get(ValueLayout.JAVA_LONG, 0);
        }
    }

    /** Counts; returns what the counter was before the last addition, plus one. */
    static long count(String device, InetSocketAddress address, String name, int times) {
        try (ExampleEnd end = new ExampleEnd(device); Introduction server = Introduction.to(address)) {
            String[] words = server.swap(end.describe().format()).split(" ");
            long counter = Long.parseLong(words[1]);
            int rkey = Integer.parseInt(words[2]);
            end.connect(QueuePairEndpoint.parse(words[0]));
            server.swap("ready");
            long local = end.region.address() + SCRATCH;
            for (int i = 0; i < times; i++) {
                ExampleEnd.check(end.qp.postFetchAndAdd(0, local, end.region.lkey(), counter, rkey, 1,
                        SendFlags.SIGNALED));
                end.await();
            }
            long before = end.region.segment().get(ValueLayout.JAVA_LONG, SCRATCH);
            end.region.segment().setString(SCRATCH, name);
            ExampleEnd.check(end.qp.postWrite(0, local, ROOM, end.region.lkey(), counter + NAME, rkey,
                    SendFlags.SIGNALED));
            end.await();
            server.swap("done");
            return before + 1;
        }
    }
}
