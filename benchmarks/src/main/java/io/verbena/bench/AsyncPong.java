package io.verbena.bench;

import io.verbena.LocalMemory;
import io.verbena.RdmaConnection;
import io.verbena.RdmaFuture;
import io.verbena.ReceivedMessage;

/** The second side of async_lat: waits for a message and answers it. */
final class AsyncPong extends Side {
    private final RdmaConnection connection;
    private final LocalMemory memory;

    AsyncPong(StopFlag stop, RdmaConnection connection, LocalMemory memory) {
        super(stop);
        this.connection = connection;
        this.memory = memory;
    }

    @Override
    public void run(long count) {
        for (long left = count; left > 0; left -= BATCH) {
            batch((int) Math.min(left, BATCH));
        }
    }

    private void batch(int count) {
        for (int i = 0; i < count; i++) {
            RdmaFuture<Void> sent;
            try (ReceivedMessage message = connection.receive().join()) {
                AsyncPing.require(message.length() == memory.length());
                sent = connection.send(memory);
            }
            sent.join();
        }
    }
}
