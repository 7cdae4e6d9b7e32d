package io.verbena.async.handshake;

import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Threads that are made as long as none is idle, up to a bound, and end when idle: tasks that block keep no other
 * waiting. After shutdown whoever has a task does it himself, so that nobody waits for ever for what it tells.
 */
final class GrowingPool extends ThreadPoolExecutor {
    private static final long IDLE_SECONDS = 1;

    GrowingPool(int maxThreads, ThreadFactory factory) {
        super(0, maxThreads, IDLE_SECONDS, TimeUnit.SECONDS, new Handover(), factory, (task, pool) -> {
            // At the bound, or shut down.
            if (!pool.isShutdown()) {
                pool.getQueue().add(task);
                if (!pool.isShutdown() || !pool.getQueue().remove(task)) {
                    return;
                }
            }
            task.run();
        });
    }

    /** Takes what a thread that is idle takes at once; else a thread is made. */
    private static final class Handover extends LinkedTransferQueue<Runnable> {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean offer(Runnable task) {
            return tryTransfer(task);
        }

        @Override
        public boolean add(Runnable task) {
            put(task);
            return true;
        }
    }
}
