package io.verbena.bench;

import io.verbena.CompletionCallback;
import io.verbena.LocalMemory;
import io.verbena.OperationStatus;
import io.verbena.RdmaConnection;
import io.verbena.RdmaNode;
import io.verbena.RemoteMemory;

/** READs by the callback form of the asynchronous API, driven by the same thread. */
final class CallbackReadLoop extends ReadLoop implements CompletionCallback {
    private final RdmaNode node;
    private final RdmaConnection connection;
    private final LocalMemory local;
    private final RemoteMemory remote;
    private long ended;

    CallbackReadLoop(RdmaNode node, RdmaConnection connection, LocalMemory local, RemoteMemory remote) {
        this.node = node;
        this.connection = connection;
        this.local = local;
        this.remote = remote;
    }

    @Override
    public void onCompletion(long token, int status, long value) {
        check(status);
        ended = token;
    }

    private static void check(int status) {
        if (status != OperationStatus.SUCCESS) {
            throw new PerfException("a READ failed: " + OperationStatus.describe(status));
        }
    }

    @Override
    void group(int count) {
        long number = ended;
        for (int i = 0; i < count; i++) {
            check(connection.read(local, remote, this, ++number));
            do {
                node.poll(1);
            } while (ended != number);
        }
    }
}
