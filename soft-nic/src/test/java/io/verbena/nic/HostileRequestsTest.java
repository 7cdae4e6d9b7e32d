package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.direct.DelegatedRequest;
import io.verbena.nic.direct.Endpoint;
import io.verbena.nic.direct.Fabric;
import io.verbena.nic.direct.StandIn;
import io.verbena.verbs.Access;
import io.verbena.verbs.Gid;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that another process wrote with bad intent: they get an answer, and touch nothing but live regions. */
@Timeout(300)
class HostileRequestsTest {
    private static final int ROOM = 8_192;
    private static final int PSN = 100;
    private static final Gid USER = new Gid(0xFE80L << 48, 0x1234);
    private static final int USER_QPN = 4_711;
    private static final long CANARY = 0x5A5A_5A5A_5A5A_5A5AL;
    private static final long SPAN = 1 << 14;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment room = arena.allocate(ROOM, 128);
    private final MemorySegment standInMemory = arena.allocate(StandIn.bytes(), 128);
    private final Random random = new Random(0x5EED);
    private final WorkCompletion completion = new WorkCompletion();
    private End end;
    private MemoryRegion open;
    private MemoryRegion readOnly;
    private StandIn standIn;
    private long number;
    private int imm;

    @BeforeEach
    void connect() {
        end = new End("soft3", Setup.of(Threading.SAFE, 64));
        MemorySegment all = end.memory.segment();
        for (long at = 0; at < End.BYTES; at += Long.BYTES) {
            all.set(ValueLayout.JAVA_LONG, at, CANARY);
        }
        // Open in the middle only: behind it and before it lie canaries, then memory that may only be read.
        open = end.pd.register(all.asSlice(SPAN, SPAN), End.ALL);
        readOnly = end.pd.register(all.asSlice(3 * SPAN, SPAN), Access.REMOTE_READ);
        reconnect();
    }

    private void reconnect() {
        if (end.qp.state() != QueuePairState.RESET) {
            end.modify(QueuePairState.RESET);
        }
        end.connect(new QueuePairEndpoint(USER, USER_QPN, PSN), PSN);
        ReentrantLock lock = Fabric.LOCAL.controlLock();
        lock.lock();
        try {
            if (standIn != null) {
                standIn.close();
            }
            Endpoint target = Fabric.LOCAL.find(end.context.queryGid(1, 0).gid(), end.qp.qpNum());
            standInMemory.fill((byte) 0);
            standIn = new StandIn(target, USER, USER_QPN, standInMemory, false);
        } finally {
            lock.unlock();
        }
    }

    @AfterEach
    void close() {
        ReentrantLock lock = Fabric.LOCAL.controlLock();
        lock.lock();
        try {
            standIn.close();
        } finally {
            lock.unlock();
        }
        open.close();
        readOnly.close();
        end.close();
        arena.close();
    }

    private void set(long at, long value) {
        room.set(ValueLayout.JAVA_LONG, at, value);
    }

    /** Asks for something; returns the outcome. */
    private long ask(Opcode opcode, long length, long address, int rkey) {
        set(8, length);
        set(16, 1_024);
        set(64 + 16, opcode.code());
        set(64 + 24, address);
        set(64 + 48, rkey & 0xFFFF_FFFFL | (long) imm << Integer.SIZE);
        return serve();
    }

    private long serve() {
        set(0, ++number);
        standIn.serve(room);
        assertEquals(number, room.get(ValueLayout.JAVA_LONG, 128), "the request got an answer");
        return room.get(ValueLayout.JAVA_LONG, 136);
    }

    @Test
    void aRequestIsExecutedOnce() {
        set(DelegatedRequest.PAYLOAD_AT, 7);
        assertEquals(0, ask(Opcode.RDMA_WRITE, 8, open.address(), open.rkey()));
        assertEquals(7, end.get(SPAN));
        end.set(SPAN, 8);
        standIn.serve(room);
        assertEquals(8, end.get(SPAN), "the same number again is the same request");
    }

    /** An entry that looks published to whoever drives progress would be executed by that one, too. */
    @Test
    void aRequestIsExecutedByNobodyElse() {
        end.qp.postReceive(1, open.address(), 64, open.lkey());
        end.qp.postReceive(2, open.address(), 64, open.lkey());
        set(64, 1);
        assertEquals(0, ask(Opcode.SEND, 40, 0, 0));
        end.qp.postReceive(3, open.address(), 64, open.lkey());
        assertEquals(1, end.recvCq.poll(completion));
        assertEquals(40, completion.byteLen());
        assertEquals(0, end.recvCq.poll(completion));
    }

    @Test
    void aReadAnswersWithThePayload() {
        assertEquals(0, ask(Opcode.RDMA_READ, 16, readOnly.address(), readOnly.rkey()));
        assertEquals(CANARY, room.get(ValueLayout.JAVA_LONG, DelegatedRequest.PAYLOAD_AT + 8));
    }

    @Test
    void whatDoesNotFitIntoTheRoomIsRefused() {
        long most = ROOM - DelegatedRequest.PAYLOAD_AT;
        for (long length : new long[] {ROOM, most + 1, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertEquals(WcStatus.REM_INV_REQ_ERR.code(), ask(Opcode.RDMA_READ, length, open.address(), open.rkey()));
            assertEquals(QueuePairState.ERR, end.qp.state());
            reconnect();
        }
    }

    @Test
    void wrongKeysAndRangesAreRefused() {
        int refused = WcStatus.REM_ACCESS_ERR.code();
        assertEquals(refused, ask(Opcode.RDMA_WRITE, 8, readOnly.address(), readOnly.rkey()));
        reconnect();
        assertEquals(refused, ask(Opcode.RDMA_WRITE, 8, open.address() + SPAN - 7, open.rkey()));
        reconnect();
        assertEquals(refused, ask(Opcode.RDMA_READ, 8, open.address(), open.lkey()));
        reconnect();
        open.close();
        assertEquals(refused, ask(Opcode.RDMA_WRITE, 8, open.address(), open.rkey()));
        open = end.pd.register(end.memory.segment().asSlice(SPAN, SPAN), End.ALL);
    }

    @Test
    void randomRequestsTouchOnlyWhatIsOpen() {
        torment(100_000);
    }

    @Test
    @Tag("ci")
    void manyRandomRequestsTouchOnlyWhatIsOpen() {
        torment(2_000_000);
    }

    private void torment(int rounds) {
        Opcode[] opcodes = Opcode.values();
        long[] keys = {open.rkey(), readOnly.rkey(), open.lkey(), 0, -1, open.rkey() + 1};
        long[] addresses = {open.address(), readOnly.address(), 0, -8, open.address() + SPAN - 8};
        int served = 0;
        for (int i = 0; i < rounds; i++) {
            if (random.nextInt(8) == 0) {
                for (int at = 0; at < 128; at += Long.BYTES) {
                    set(at, random.nextLong());
                }
            }
            if (random.nextInt(4) == 0) {
                end.qp.postReceive(i, open.address(), random.nextInt(512), open.lkey());
            }
            set(64 + 32, random.nextLong());
            set(64 + 40, random.nextInt(3));
            imm = random.nextInt();
            long outcome = ask(opcodes[random.nextInt(opcodes.length)],
                    random.nextInt(10) == 0 ? random.nextLong() : random.nextInt(10) == 0 ? 8 : random.nextInt(4_096),
                    random.nextInt(5) == 0 ? random.nextLong() : addresses[random.nextInt(addresses.length)],
                    (int) (random.nextInt(5) == 0 ? random.nextInt() : keys[random.nextInt(keys.length)]));
            served += outcome == 0 ? 1 : 0;
            while (end.recvCq.poll(completion) > 0) {
                // Only to make room.
            }
            if (end.qp.state() == QueuePairState.ERR) {
                reconnect();
            }
            if (i % 1_000 == 0) {
                checkCanaries();
            }
        }
        checkCanaries();
        assertTrue(served > rounds / 100, "some of " + rounds + " must be good: " + served);
    }

    private void checkCanaries() {
        for (long at = 0; at < End.BYTES; at += Long.BYTES) {
            if (at < SPAN || at >= 2 * SPAN) {
                assertEquals(CANARY, end.get(at), "at " + at);
            }
        }
    }
}
