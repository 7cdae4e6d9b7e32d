package io.verbena.nic.shm;

import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.StandIn;
import io.verbena.nic.os.MemoryFile;
import io.verbena.nic.os.OsException;
import io.verbena.verbs.Gid;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests of one queue pair of another process that are executed in this one, by threads that only do that, one
 * request of a queue pair at a time. What is shared with the other process is its own memory, mapped here.
 */
final class Deliveries {
    /** What of it is kept mapped when nothing is asked. */
    static final long KEPT_BYTES = 1L << 20;

    private final Endpoint endpoint;
    private final Gid user;
    private final int userQpNum;
    private final boolean produces;
    private final Executor workers;
    private final AtomicInteger asks = new AtomicInteger();
    private StandIn standIn;
    private Arena standInMemory;
    /** What is used. */
    private final Room room = new Room();
    /** What came after it; also guards what {@link #room(MemoryFile)} touches. */
    private final Room next = new Room();
    private boolean closed;

    /**
     * Serves nothing yet.
     *
     * @param endpoint the own queue pair
     * @param user the address of the other one
     * @param userQpNum its number
     * @param produces whether the other one fills receives itself when it can
     * @param workers who executes
     */
    Deliveries(Endpoint endpoint, Gid user, int userQpNum, boolean produces, Executor workers) {
        this.endpoint = endpoint;
        this.user = user;
        this.userQpNum = userQpNum;
        this.produces = produces;
        this.workers = workers;
    }

    /** Takes other memory for requests; under the control lock, and waits for nobody who executes one. */
    void room(MemoryFile memory) throws OsException {
        Arena arena = Arena.ofShared();
        boolean taken = false;
        try {
            MemorySegment mapped = memory.map(true, arena);
            synchronized (next) {
                if (!closed) {
                    makeStandIn();
                    next.replace(mapped, arena);
                    taken = true;
                }
            }
        } finally {
            if (!taken) {
                arena.close();
            }
        }
    }

    private void makeStandIn() {
        if (standIn == null) {
            Arena arena = Arena.ofShared();
            try {
                standIn = new StandIn(endpoint, user, userQpNum, arena.allocate(StandIn.bytes(), 128), produces);
                standInMemory = arena;
            } finally {
                if (standIn == null) {
                    arena.close();
                }
            }
        }
    }

    /** Whether something that was asked is not done. */
    boolean isBusy() {
        return asks.get() != 0;
    }

    /** Something is asked; waits for nobody. */
    void asked() {
        if (asks.getAndIncrement() == 0) {
            goOn();
        }
    }

    private void goOn() {
        try {
            workers.execute(this::serveOnce);
        } catch (RuntimeException | Error e) {
            asks.set(0); // the next one that is asked has another try
            throw e;
        }
    }

    /** Others have their turn before this queue pair goes on. */
    private void serveOnce() {
        int seen = asks.get();
        try {
            serve();
        } finally {
            if (!asks.compareAndSet(seen, 0)) {
                goOn();
            }
        }
    }

    private synchronized void serve() {
        takeNext();
        if (room.memory == null || room.memory.byteSize() < StandIn.LEAST_ROOM) {
            return;
        }
        standIn.serve(room.memory);
        if (room.memory.byteSize() > KEPT_BYTES) {
            room.leave();
        }
    }

    private void takeNext() {
        synchronized (next) {
            if (next.memory != null) {
                room.replace(next.memory, next.arena);
                next.memory = null;
            }
        }
    }

    /** Memory for requests. */
    private static final class Room {
        private MemorySegment memory;
        private Arena arena;

        void replace(MemorySegment newMemory, Arena newArena) {
            leave();
            memory = newMemory;
            arena = newArena;
        }

        void leave() {
            if (memory != null) {
                memory = null;
                arena.close();
            }
        }
    }

    /** Ends; under the control lock, when the queue pair serves nobody any more. */
    synchronized void close() {
        synchronized (next) {
            closed = true;
            next.leave();
        }
        room.leave();
        if (standIn != null) {
            standIn.close();
            standIn = null;
            standInMemory.close();
        }
    }
}
