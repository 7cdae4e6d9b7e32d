package io.verbena.examples;

import io.verbena.verbs.SendFlags;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A counter in one end's memory, which several clients count up at the same time, each over a connection of its own.
 * The counter's owner does nothing; no count is lost.
 */
public final class AtomicCounterExample {
    private static final int CLIENTS = 2;

    private AtomicCounterExample() {}

    /**
     * Prints the counter.
     *
     * @param args a device, by default {@code soft}
     */
    public static void main(String[] args) {
        System.out.println("the counter is " + run(args.length > 0 ? args[0] : "soft", 1_000));
    }

    /**
     * Counts.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @param times how often each of two clients adds 1
     * @return the counter afterwards
     */
    static long run(String device, int times) {
        try (ExampleEnd ownerA = new ExampleEnd(device); ExampleEnd ownerB = new ExampleEnd(device);
                ExampleEnd clientA = new ExampleEnd(device); ExampleEnd clientB = new ExampleEnd(device)) {
            join(ownerA, clientA);
            join(ownerB, clientB);
            // One counter for both: the second owner registers the first one's memory as well.
            try (var counter = ownerB.domain.register(ownerA.memory.segment(), ownerA.region.access())) {
                List<CompletableFuture<Void>> counting = new ArrayList<>(CLIENTS);
                counting.add(CompletableFuture.runAsync(
                        () -> count(clientA, ownerA.region.address(), ownerA.region.rkey(), times)));
                counting.add(CompletableFuture.runAsync(
                        () -> count(clientB, counter.address(), counter.rkey(), times)));
                counting.forEach(CompletableFuture::join);
                return ownerA.region.segment().get(ValueLayout.JAVA_LONG, 0);
            }
        }
    }

    private static void join(ExampleEnd owner, ExampleEnd client) {
        owner.connect(client.describe());
        client.connect(owner.describe());
    }

    private static void count(ExampleEnd client, long counter, int rkey, int times) {
        for (int i = 0; i < times; i++) {
            ExampleEnd.check(client.qp.postFetchAndAdd(i, client.region.address(), client.region.lkey(), counter, rkey,
                    1, SendFlags.SIGNALED));
            client.await(); // the value before this addition is now in the client's memory
        }
    }
}
