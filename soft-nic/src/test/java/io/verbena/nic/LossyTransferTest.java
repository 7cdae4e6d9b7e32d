package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Much data by packets of which many are lost or damaged: every byte is right, and every message comes once. */
@Timeout(3600)
class LossyTransferTest {
    private static final long PID = ProcessHandle.current().pid();
    private static final String HOSTS = "127." + (1 + PID / 250 % 250) + "." + (1 + PID % 250);
    private static final int SLOTS = 8;
    private static final int BYTES = (int) End.BYTES / SLOTS;
    /** 4.096 us times 2 to this. */
    private static final int TIMEOUT = 14;
    private static final long MIB = 1 << 20;
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    /** What is expected in a word of a message. */
    private static long word(long message, long at) {
        return (message * BYTES + at) * MIX;
    }

    private static void fill(MemorySegment memory, long message) {
        long slot = message % SLOTS * BYTES;
        for (long at = 0; at < BYTES; at += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, slot + at, word(message, at));
        }
    }

    private static void check(MemorySegment memory, long message) {
        long slot = message % SLOTS * BYTES;
        for (long at = 0; at < BYTES; at += Long.BYTES) {
            if (memory.get(ValueLayout.JAVA_LONG, slot + at) != word(message, at)) {
                assertEquals(word(message, at), memory.get(ValueLayout.JAVA_LONG, slot + at),
                        "byte " + at + " of message " + message);
            }
        }
    }

    /** Messages come by SEND, or by a WRITE and a SEND that tells of it, in turns. */
    private static void post(TwoEnds ends, long message) {
        long at = message % SLOTS * BYTES;
        if (message % 2 == 0) {
            End.ok(ends.a.send(message, at, BYTES));
        } else {
            End.ok(ends.a.qp.postWrite(message, ends.a.at(at), BYTES, ends.a.region.lkey(), ends.b.at(at),
                    ends.b.region.rkey(), 0));
            End.ok(ends.a.send(message, at, Long.BYTES));
        }
    }

    /** Connects them again with a timer that is short, since it runs out often here. */
    private static void hurry(TwoEnds ends) {
        for (End end : List.of(ends.a, ends.b)) {
            end.modify(QueuePairState.RESET);
        }
        for (End end : List.of(ends.a, ends.b)) {
            End peer = end == ends.a ? ends.b : ends.a;
            end.qp.modify(QueuePairAttributes.init(1, End.ALL));
            end.qp.modify(QueuePairAttributes.readyToReceive(peer.address(1)).minRnrTimer(1));
            end.qp.modify(QueuePairAttributes.readyToSend(1).timeout(TIMEOUT));
        }
    }

    private static void transfer(String faults, long bytes) {
        String settings = "&counters=off" + (faults.isEmpty() ? "" : "&faults=" + faults);
        Setup setup = Setup.of(Threading.SAFE, 2 * SLOTS).withDevices(
                "soft10?link=udp&bind=" + HOSTS + ".99" + settings,
                "soft11?link=udp&bind=" + HOSTS + ".100" + settings);
        try (TwoEnds ends = new TwoEnds(setup)) {
            hurry(ends);
            for (long slot = 0; slot < SLOTS; slot++) {
                End.ok(ends.b.receive(slot, slot * BYTES, BYTES));
            }
            long messages = bytes / BYTES;
            long posted = 0;
            long sent = 0;
            WorkCompletion completion = new WorkCompletion();
            for (long received = 0; received < messages; received++) {
                while (posted < messages && posted < received + SLOTS && posted < sent + SLOTS) {
                    fill(ends.a.memory.segment(), posted);
                    post(ends, posted++);
                    while (ends.a.sendCq.poll(completion) == 1) {
                        assertTrue(completion.isSuccess(), completion.toString());
                        assertEquals(sent++, completion.wrId(), completion.toString());
                    }
                }
                End.expect(ends.b.recvCq, received);
                check(ends.b.memory.segment(), received);
                End.ok(ends.b.receive(received + SLOTS, received % SLOTS * BYTES, BYTES));
                if (posted == sent + SLOTS) {
                    End.expect(ends.a.sendCq, sent++);
                }
            }
        }
    }

    @Test
    void aLittleArrivesWholeAtEveryLoss() {
        transfer("", 16 * MIB);
        transfer("loss:0.02,damage:0.02,seed:1", 2 * MIB);
        transfer("loss:0.1,damage:0.02,seed:2", MIB);
    }

    @ParameterizedTest
    @Tag("ci")
    @CsvSource({"'', 256", "'loss:0.02,damage:0.02,seed:3', 16", "'loss:0.1,damage:0.02,seed:4', 4"})
    void muchArrivesWhole(String faults, long mib) {
        transfer(faults, mib * MIB);
    }

    @ParameterizedTest
    @Tag("soak")
    @CsvSource({"'', 1024", "'loss:0.02,damage:0.02,seed:5', 1024", "'loss:0.1,damage:0.02,seed:6', 1024"})
    void aGibibyteArrivesWhole(String faults, long mib) {
        transfer(faults, mib * MIB);
    }
}
