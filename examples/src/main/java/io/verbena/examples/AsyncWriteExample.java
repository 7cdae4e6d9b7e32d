package io.verbena.examples;

import io.verbena.ConnectionConfig;
import io.verbena.LocalMemory;
import io.verbena.MemoryLease;
import io.verbena.RdmaConnection;
import io.verbena.RdmaNode;
import io.verbena.RemoteMemory;
import io.verbena.verbs.Access;

/**
 * The same as {@link WriteExample} with the asynchronous API: one end writes into the memory of the other. Both ends
 * are in this process; {@link AsyncOneSidedExample} has them in two.
 */
public final class AsyncWriteExample {
    private AsyncWriteExample() {}

    /**
     * Prints what arrived.
     *
     * @param args a device, by default {@code soft}
     */
    public static void main(String[] args) {
        System.out.println("the target now holds: " + run(args.length > 0 ? args[0] : "soft"));
    }

    /**
     * Writes a text into the target's memory and reads it there.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @return the text found in the target's memory
     */
    static String run(String device) {
        try (RdmaNode node = RdmaNode.open(device)) {
            RdmaConnection[] ends = node.pair(ConnectionConfig.DEFAULT);
            try (RdmaConnection writer = ends[0]; RdmaConnection owner = ends[1];
                    LocalMemory source = node.memory().allocate(64);
                    LocalMemory target = node.memory().allocate(64);
                    // Nobody else reaches memory before it is exposed, nor after the lease is closed.
                    MemoryLease lease = target.expose(Access.REMOTE_WRITE)) {
                owner.sendMemory(lease).join();
                RemoteMemory remote = writer.receiveMemory().join();

                source.writable().setString(0, "Hello, RDMA");
                writer.write(source, remote).join();
                return target.readable().getString(0);
            }
        }
    }
}
