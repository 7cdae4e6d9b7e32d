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
 * Requests of one queue pair of another process that are executed in this one, by threads that only do that: a long
 * one keeps nobody else waiting. What is shared with the other process is its own memory, mapped here.
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
    private MemorySegment room;
    private Arena roomMemory;
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

    /** Takes other memory for requests; under the control lock. */
    synchronized void room(MemoryFile memory) throws OsException {
        if (closed) {
            return;
        }
        leaveRoom();
        Arena arena = Arena.ofShared();
        try {
            room = memory.map(true, arena);
            roomMemory = arena;
        } catch (OsException e) {
            arena.close();
            throw e;
        }
        if (standIn == null) {
            standInMemory = Arena.ofShared();
            standIn = new StandIn(endpoint, user, userQpNum, standInMemory.allocate(StandIn.bytes(), 128), produces);
        }
    }

    /** Something is asked; waits for nobody. */
    void asked() {
        if (asks.getAndIncrement() == 0) {
            workers.execute(this::serveAll);
        }
    }

    private void serveAll() {
        int seen;
        do {
            seen = asks.get();
            serve();
        } while (!asks.compareAndSet(seen, 0));
    }

    private synchronized void serve() {
        if (closed || room == null || room.byteSize() < StandIn.LEAST_ROOM) {
            return;
        }
        standIn.serve(room);
        if (room.byteSize() > KEPT_BYTES) {
            leaveRoom();
        }
    }

    private void leaveRoom() {
        if (room != null) {
            room = null;
            roomMemory.close();
        }
    }

    /** Ends; under the control lock, when the queue pair serves nobody any more. */
    synchronized void close() {
        closed = true;
        leaveRoom();
        if (standIn != null) {
            standIn.close();
            standIn = null;
            standInMemory.close();
        }
    }
}
