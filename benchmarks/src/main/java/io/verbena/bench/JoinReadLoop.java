package io.verbena.bench;

import io.verbena.LocalMemory;
import io.verbena.RdmaConnection;
import io.verbena.RemoteMemory;

/** READs by the asynchronous API with a future each, waited for by the same thread. */
final class JoinReadLoop extends ReadLoop {
    private final RdmaConnection connection;
    private final LocalMemory local;
    private final RemoteMemory remote;

    JoinReadLoop(RdmaConnection connection, LocalMemory local, RemoteMemory remote) {
        this.connection = connection;
        this.local = local;
        this.remote = remote;
    }

    @Override
    void group(int count) {
        for (int i = 0; i < count; i++) {
            connection.read(local, remote).join();
        }
    }
}
