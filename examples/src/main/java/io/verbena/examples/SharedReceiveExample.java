package io.verbena.examples;

import io.verbena.verbs.*;
import java.util.Map;
import java.util.TreeMap;

/**
 * A server that keeps one stock of receives for all its clients: two queue pairs draw from one shared receive queue.
 * Whoever sends takes the oldest receive; the completion tells which receive it was, and which queue pair took it.
 */
public final class SharedReceiveExample {
    private static final int RECEIVES = 8;
    private static final int ROOM = 256;

    private SharedReceiveExample() {}

    /**
     * Prints what each client sent.
     *
     * @param args a device, by default {@code soft}
     */
    public static void main(String[] args) {
        Map<String, String> arrived = run(args.length > 0 ? args[0] : "soft");
        arrived.forEach((client, text) -> System.out.println(client + " sent: " + text));
    }

    /**
     * Lets two clients send one message each.
     *
     * @param device what {@link Devices#open(String)} takes
     * @return what came, by client
     */
    static Map<String, String> run(String device) {
        try (ExampleEnd anna = new ExampleEnd(device); ExampleEnd bob = new ExampleEnd(device);
                Context context = Devices.open(device);
                ProtectionDomain domain = context.allocateProtectionDomain();
                AllocatedMemory memory = context.allocateMemory(RECEIVES * ROOM, 4096);
                MemoryRegion region = domain.register(memory.segment(), Access.LOCAL_WRITE);
                CompletionQueue cq = context.createCompletionQueue(CompletionQueueConfig.of(64));
                SharedReceiveQueue srq = domain.createSharedReceiveQueue(
                        new SharedReceiveQueueConfig(RECEIVES, 1, Threading.SAFE));
                QueuePair forAnna = domain.createQueuePair(config(cq, srq));
                QueuePair forBob = domain.createQueuePair(config(cq, srq))) {
            join(forAnna, anna.qp);
            join(forBob, bob.qp);
            // The receives are posted here and not to the queue pairs: none is bound to a client in advance.
            for (int i = 0; i < RECEIVES; i++) {
                ExampleEnd.check(srq.postReceive(i, region.address() + (long) ROOM * i, ROOM, region.lkey()));
            }
            send(anna, "Hello, this is Anna");
            send(bob, "Hi, Bob here");
            Map<String, String> arrived = new TreeMap<>();
            while (arrived.size() < 2) {
                WorkCompletion completion = ExampleEnd.await(cq);
                String client = completion.qpNum() == forAnna.qpNum() ? "Anna" : "Bob";
                arrived.put(client, region.segment().getString(ROOM * completion.wrId()));
            }
            return arrived;
        }
    }

    private static QueuePairConfig config(CompletionQueue cq, SharedReceiveQueue srq) {
        return QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(16)).withSrq(srq);
    }

    private static void join(QueuePair server, QueuePair client) {
        ExampleEnd.connect(server, ExampleEnd.describe(client));
        ExampleEnd.connect(client, ExampleEnd.describe(server));
    }

    private static void send(ExampleEnd client, String text) {
        client.region.segment().setString(0, text);
        ExampleEnd.check(client.qp.postSend(0, client.region.address(), ROOM, client.region.lkey(),
                SendFlags.SIGNALED));
        client.await();
    }
}
