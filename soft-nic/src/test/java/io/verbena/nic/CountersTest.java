package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.stat.CounterFileException;
import io.verbena.nic.stat.CounterFileLayout;
import io.verbena.nic.stat.CounterFiles;
import io.verbena.nic.stat.CounterSnapshot;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.nic.stat.QueuePairSample;
import io.verbena.verbs.Access;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.Context;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What each counter says after known traffic, read from the counter file. End a is on soft3, end b on soft4. */
class CountersTest {
    @TempDir
    private Path directory;

    private TwoEnds ends;

    private void open(Setup setup) {
        String suffix = "?countersDir=" + directory;
        ends = new TwoEnds(setup.withDevices("soft3" + suffix, "soft4" + suffix));
    }

    private CounterSnapshot snapshot(String device) {
        try {
            for (Path file : CounterFiles.list(directory)) {
                if (file.getFileName().toString().startsWith(device + "-")) {
                    return CounterFiles.read(file);
                }
            }
        } catch (IOException | CounterFileException e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("no file of " + device);
    }

    private void check(String device, Object... countersAndValues) {
        Map<DeviceCounter, Long> expected = new EnumMap<>(DeviceCounter.class);
        Map<DeviceCounter, Long> actual = new EnumMap<>(DeviceCounter.class);
        CounterSnapshot now = snapshot(device);
        for (int i = 0; i < countersAndValues.length; i += 2) {
            DeviceCounter counter = (DeviceCounter) countersAndValues[i];
            expected.put(counter, ((Number) countersAndValues[i + 1]).longValue());
            actual.put(counter, now.total(counter));
        }
        assertEquals(expected, actual, device);
        assertTrue(now.consistent());
    }

    /** Every counter that says how many there were of something, but objects: all 0 unless named. */
    private void checkNothingElse(String device, DeviceCounter... named) {
        CounterSnapshot now = snapshot(device);
        Map<DeviceCounter, Long> others = new EnumMap<>(DeviceCounter.class);
        for (DeviceCounter counter : DeviceCounter.values()) {
            if (counter.compareTo(DeviceCounter.RDMA_SENDS) >= 0 && now.total(counter) != 0) {
                others.put(counter, now.total(counter));
            }
        }
        for (DeviceCounter counter : named) {
            others.remove(counter);
        }
        assertEquals(Map.of(), others);
    }

    @Test
    void objectsAreCountedWhileOpenAndInAll() {
        open(Setup.of(Threading.SAFE, 8));
        ends.reopen();
        check("soft3", DeviceCounter.PDS, 1, DeviceCounter.PDS_CREATED, 1, DeviceCounter.MRS, 1,
                DeviceCounter.MRS_CREATED, 1, DeviceCounter.CQS, 2, DeviceCounter.CQS_CREATED, 2,
                DeviceCounter.QPS, 1, DeviceCounter.QPS_CREATED, 2);
        try (Context keeper = Devices.open("soft3?countersDir=" + directory)) {
            assertEquals("soft3", keeper.device().name());
            ends.close();
            check("soft3", DeviceCounter.PDS, 0, DeviceCounter.PDS_CREATED, 1, DeviceCounter.MRS, 0,
                    DeviceCounter.MRS_CREATED, 1, DeviceCounter.CQS, 0, DeviceCounter.CQS_CREATED, 2,
                    DeviceCounter.QPS, 0, DeviceCounter.QPS_CREATED, 2);
        }
    }

    /** A test that runs with the limit and the counter of each kind of object. */
    @ParameterizedTest
    @CsvSource({"MAX_PD, PDS", "MAX_MR, MRS", "MAX_MW, MWS", "MAX_CQ, CQS", "MAX_QP, QPS", "MAX_SRQ, SRQS",
        "MAX_AH, AHS"})
    @Retention(RetentionPolicy.RUNTIME)
    private @interface EachKindOfObject {}

    @EachKindOfObject
    void eachKindOfObjectHasItsTwoCounters(DeviceLimit kind, DeviceCounter now) {
        NicCounters counters = NicCounters.open("soft3", null);
        ObjectCounts counts = new ObjectCounts(counters);
        counts.count(kind, 1);
        counts.count(kind, 1);
        counts.count(kind, -1);
        for (DeviceCounter counter : DeviceCounter.values()) {
            int expected = counter == now ? 1 : counter.name().equals(now + "_CREATED") ? 2 : 0;
            assertEquals(expected, counters.own(counter), counter.name());
        }
    }

    @EachKindOfObject
    void whatFailsToBeMadeIsNotCounted(DeviceLimit kind, DeviceCounter now) {
        NicCounters counters = NicCounters.open("soft3", null);
        ObjectCounts counts = new ObjectCounts(counters);
        counts.make(kind, Object::new);
        VerbsException noMemory = assertThrows(VerbsException.class, () -> counts.make(kind, () -> {
            throw new OutOfMemoryError();
        }));
        assertEquals(Errno.ENOMEM, noMemory.errno());
        assertThrows(IllegalStateException.class, () -> counts.make(kind, () -> {
            throw new IllegalStateException();
        }));
        assertEquals(1, counts.of(kind));
        for (DeviceCounter counter : DeviceCounter.values()) {
            int expected = counter == now || counter.name().equals(now + "_CREATED") ? 1 : 0;
            assertEquals(expected, counters.own(counter), counter.name());
        }
    }

    @ParameterizedTest
    @EnumSource
    void operationsAndBytesOfTheFastPath(Threading threading) {
        open(Setup.of(threading, 8));
        try (TwoEnds open = ends) {
            for (int i = 0; i < 5; i++) {
                End.ok(open.b.receive(i, 0, 64));
                End.ok(open.a.send(i, 0, 10 + i));
                End.expect(open.a.sendCq, i);
                End.expect(open.b.recvCq, i);
            }
            for (int i = 0; i < 3; i++) {
                End.ok(open.a.write(i, 0, 1000, open.b));
                End.expect(open.a.sendCq, i);
            }
            End.ok(open.a.qp.postRead(7, open.a.at(0), 300, open.a.region.lkey(), open.b.at(0),
                    open.b.region.rkey(), SendFlags.SIGNALED));
            End.expect(open.a.sendCq, 7);
            check("soft3", DeviceCounter.RDMA_SENDS, 5, DeviceCounter.RDMA_WRITES, 3, DeviceCounter.RDMA_READS, 1,
                    DeviceCounter.SENT_BYTES, 60 + 3000, DeviceCounter.READ_BYTES, 300);
            checkNothingElse("soft3", DeviceCounter.RDMA_SENDS, DeviceCounter.RDMA_WRITES, DeviceCounter.RDMA_READS,
                    DeviceCounter.SENT_BYTES, DeviceCounter.READ_BYTES);
            check("soft4", DeviceCounter.RDMA_RECVS, 5, DeviceCounter.RECEIVED_BYTES, 60);
            checkNothingElse("soft4", DeviceCounter.RDMA_RECVS, DeviceCounter.RECEIVED_BYTES);
        }
    }

    @ParameterizedTest
    @EnumSource
    void operationsAndBytesOfTheSlowPath(Threading threading) {
        open(Setup.of(threading, 16));
        try (TwoEnds open = ends) {
            End.ok(open.b.receive(1, 0, 64));
            End.ok(open.b.receive(2, 0, 64));
            End.ok(open.b.receive(3, 0, 64));
            SendRequests list = new SendRequests(8, 1);
            add(list, Opcode.SEND_WITH_IMM, 40).imm(1);
            add(list, Opcode.RDMA_WRITE_WITH_IMM, 50).remote(open.b.at(0), open.b.region.rkey()).imm(2);
            add(list, Opcode.RDMA_WRITE, 0).remote(open.b.at(0), open.b.region.rkey());
            add(list, Opcode.RDMA_READ, 0).remote(open.b.at(0), open.b.region.rkey());
            add(list, Opcode.ATOMIC_CMP_AND_SWP, 8).remote(open.b.at(0), open.b.region.rkey()).compareAndSwap(1, 2);
            add(list, Opcode.ATOMIC_FETCH_AND_ADD, 8).remote(open.b.at(0), open.b.region.rkey()).fetchAndAdd(1);
            add(list, Opcode.SEND, 0);
            End.ok(open.a.qp.postSend(list));
            for (int i = 0; i < list.size(); i++) {
                End.expect(open.a.sendCq, 0);
            }
            for (int i = 1; i <= 3; i++) {
                End.expect(open.b.recvCq, i);
            }
            End.ok(open.a.qp.postFetchAndAdd(9, open.a.at(0), open.a.region.lkey(), open.b.at(0),
                    open.b.region.rkey(), 1, 0));
            check("soft3", DeviceCounter.RDMA_SENDS, 2, DeviceCounter.RDMA_WRITES, 2, DeviceCounter.RDMA_READS, 1,
                    DeviceCounter.ATOMICS, 3, DeviceCounter.COMPARE_SWAPS, 1, DeviceCounter.WITH_IMM, 2,
                    DeviceCounter.SENT_BYTES, 90, DeviceCounter.READ_BYTES, 24);
            check("soft4", DeviceCounter.RDMA_RECVS, 3, DeviceCounter.RECEIVED_BYTES, 90);
        }
    }

    private SendRequests add(SendRequests list, Opcode opcode, int length) {
        return list.add(0, opcode, SendFlags.SIGNALED).sge(ends.a.at(0), length, ends.a.region.lkey());
    }

    @Test
    void refusedAccessIsCountedAtBothEnds() {
        open(Setup.of(Threading.SINGLE, 8));
        try (TwoEnds open = ends) {
            End.ok(open.a.qp.postWrite(1, open.a.at(0), 8, open.a.region.lkey(), open.b.at(0), 0x1234, 0));
            assertEquals(WcStatus.REM_ACCESS_ERR, End.next(open.a.sendCq).status());
            check("soft3", DeviceCounter.CQE_REM_ACCESS_ERR, 1, DeviceCounter.REQ_CQE_ERROR, 1,
                    DeviceCounter.RDMA_WRITES, 0);
            check("soft4", DeviceCounter.RESP_REMOTE_ACCESS_ERRORS, 1, DeviceCounter.ASYNC_EVENTS, 1);
            checkNothingElse("soft3", DeviceCounter.CQE_REM_ACCESS_ERR, DeviceCounter.REQ_CQE_ERROR);
        }
    }

    @Test
    void invalidRequestIsCountedAtBothEnds() {
        open(Setup.of(Threading.SINGLE, 8));
        try (TwoEnds open = ends) {
            open.b.qp.modify(new QueuePairAttributes().accessFlags(Access.LOCAL_WRITE));
            End.ok(open.a.write(1, 0, 8, open.b));
            assertEquals(WcStatus.REM_INV_REQ_ERR, End.next(open.a.sendCq).status());
            check("soft3", DeviceCounter.CQE_REM_INV_REQ_ERR, 1, DeviceCounter.REQ_CQE_ERROR, 1);
            check("soft4", DeviceCounter.RESP_REMOTE_INVALID_REQUEST, 1);
        }
    }

    @Test
    void messageTooLongForItsReceive() {
        open(Setup.of(Threading.SINGLE, 8));
        try (TwoEnds open = ends) {
            End.ok(open.b.receive(1, 0, 8));
            End.ok(open.a.send(2, 0, 100));
            assertEquals(WcStatus.REM_INV_REQ_ERR, End.next(open.a.sendCq).status());
            assertEquals(WcStatus.LOC_LEN_ERR, End.next(open.b.recvCq).status());
            check("soft3", DeviceCounter.CQE_REM_INV_REQ_ERR, 1, DeviceCounter.RDMA_SENDS, 0);
            check("soft4", DeviceCounter.RESP_LOCAL_LENGTH_ERROR, 1, DeviceCounter.CQE_LOC_LEN_ERR, 1,
                    DeviceCounter.RESP_CQE_ERROR, 1, DeviceCounter.RDMA_RECVS, 0);
        }
    }

    @Test
    void localKeysThatOpenNothing() {
        open(Setup.of(Threading.SINGLE, 8));
        try (TwoEnds open = ends) {
            End.ok(open.b.qp.postReceive(1, open.b.at(0), 100, 0x1234));
            End.ok(open.a.send(2, 0, 100));
            assertEquals(WcStatus.REM_OP_ERR, End.next(open.a.sendCq).status());
            assertEquals(WcStatus.LOC_PROT_ERR, End.next(open.b.recvCq).status());
            check("soft3", DeviceCounter.CQE_REM_OP_ERR, 1);
            check("soft4", DeviceCounter.RESP_LOCAL_PROT_ERRORS, 1, DeviceCounter.CQE_LOC_PROT_ERR, 1);
            open.reopen();
            End.ok(open.a.qp.postWrite(3, open.a.at(0), 8, 0x1234, open.b.at(0), open.b.region.rkey(), 0));
            assertEquals(WcStatus.LOC_PROT_ERR, End.next(open.a.sendCq).status());
            check("soft3", DeviceCounter.CQE_LOC_PROT_ERR, 1, DeviceCounter.REQ_CQE_ERROR, 2);
        }
    }

    @Test
    void receiverNotReady() {
        open(Setup.of(Threading.SINGLE, 8).withRnrRetry(3));
        try (TwoEnds open = ends) {
            End.ok(open.a.send(1, 0, 8));
            assertEquals(WcStatus.RNR_RETRY_EXC_ERR, End.next(open.a.sendCq).status());
            check("soft3", DeviceCounter.RCVD_RNR_ERR, 4, DeviceCounter.RETRY_RNR_EXCEEDED_ERR, 1,
                    DeviceCounter.LOCAL_ACK_TIMEOUT_ERR, 0);
            check("soft4", DeviceCounter.SEND_RNR_ERR, 4);
        }
    }

    @Test
    void answersThatDoNotCome() {
        open(Setup.of(Threading.SINGLE, 8));
        try (TwoEnds open = ends) {
            open.b.modify(QueuePairState.RESET);
            End.ok(open.a.write(1, 0, 8, open.b));
            assertEquals(WcStatus.RETRY_EXC_ERR, End.next(open.a.sendCq).status());
            check("soft3", DeviceCounter.LOCAL_ACK_TIMEOUT_ERR, 8, DeviceCounter.RETRY_EXCEEDED_ERR, 1,
                    DeviceCounter.RCVD_RNR_ERR, 0);
            checkNothingElse("soft4");
        }
    }

    @Test
    void flushedRequests() {
        open(Setup.of(Threading.SAFE, 8));
        try (TwoEnds open = ends) {
            open.a.modify(QueuePairState.ERR);
            End.ok(open.a.write(1, 0, 8, open.b));
            End.ok(open.a.receive(2, 0, 8));
            assertEquals(WcStatus.WR_FLUSH_ERR, End.next(open.a.sendCq).status());
            assertEquals(WcStatus.WR_FLUSH_ERR, End.next(open.a.recvCq).status());
            check("soft3", DeviceCounter.CQE_WR_FLUSH_ERR, 2, DeviceCounter.REQ_CQE_ERROR, 1,
                    DeviceCounter.RESP_CQE_ERROR, 1);
        }
    }

    @Test
    void overflowOfACompletionQueue() {
        open(Setup.of(Threading.SINGLE, 8).withCqe(2));
        try (TwoEnds open = ends) {
            for (int i = 0; i < 3; i++) {
                End.ok(open.a.write(i, 0, 8, open.b));
            }
            check("soft3", DeviceCounter.CQ_OVERFLOWS, 1, DeviceCounter.RDMA_WRITES, 3);
            assertTrue(snapshot("soft3").total(DeviceCounter.ASYNC_EVENTS) >= 2);
        }
    }

    @Test
    void eventsThatNobodyTakes() {
        NicCounters counters = NicCounters.open("soft3", null);
        EventQueue queue = new EventQueue(counters);
        int limit = 65_536;
        for (int i = 0; i < limit + 3; i++) {
            queue.raise(AsyncEvent.DeviceFatal::new);
        }
        assertEquals(limit + 3, counters.own(DeviceCounter.ASYNC_EVENTS));
        assertEquals(3, counters.own(DeviceCounter.ASYNC_EVENTS_DROPPED));
    }

    @Test
    void queuePairsTellWhoTheyAreAndWhatTheyDid() {
        open(Setup.of(Threading.SINGLE, 8));
        try (TwoEnds open = ends) {
            End.ok(open.a.write(1, 0, 8, open.b));
            QueuePairSample sample = only("soft3");
            assertEquals(open.a.qp.qpNum(), sample.qpNum());
            assertEquals(open.b.qp.qpNum(), sample.peer());
            assertEquals("RC", sample.type());
            assertEquals("RTS", sample.state());
            assertEquals(1, sample.get(CounterFileLayout.WRITES));
            assertEquals(8, sample.get(CounterFileLayout.SENT_BYTES));
            End.ok(open.a.qp.postWrite(2, open.a.at(0), 8, open.a.region.lkey(), open.b.at(0), 0x1234, 0));
            End.next(open.a.sendCq);
            End.next(open.a.sendCq);
            assertEquals("ERR", only("soft3").state());
            assertEquals(1, only("soft3").errors());
            assertEquals("ERR", only("soft4").state());
            open.a.modify(QueuePairState.RESET);
            assertEquals("RESET", only("soft3").state());
            assertEquals(0, only("soft3").peer());
            open.a.qp.modify(QueuePairAttributes.init(1, End.ALL));
            assertEquals("INIT", only("soft3").state());
            int closed = open.a.qp.qpNum();
            open.a.qp.close();
            assertEquals(0, snapshot("soft3").queuePairs().size());
            check("soft3", DeviceCounter.RDMA_WRITES, 1, DeviceCounter.SENT_BYTES, 8, DeviceCounter.REQ_CQE_ERROR, 1);
            open.a.open();
            assertTrue(only("soft3").qpNum() != closed);
            assertEquals(0, only("soft3").operations(), "a new queue pair starts from 0");
        }
    }

    private QueuePairSample only(String device) {
        assertEquals(1, snapshot(device).queuePairs().size());
        return snapshot(device).queuePairs().getFirst();
    }

    @Test
    void manyQueuePairsLieInOneFile() {
        open(Setup.of(Threading.SINGLE, 1));
        try (TwoEnds open = ends) {
            QueuePair[] more = new QueuePair[1_200];
            QueuePair first = open.a.qp;
            for (int i = 0; i < more.length; i++) {
                open.a.open();
                more[i] = open.a.qp;
            }
            assertEquals(more.length + 1, snapshot("soft3").queuePairs().size());
            assertEquals(0, snapshot("soft3").hidden());
            assertTrue(snapshot("soft3").queuePairs().stream().anyMatch(each -> each.qpNum() == more[1_100].qpNum()));
            for (QueuePair each : more) {
                each.close();
            }
            assertEquals(first.qpNum(), only("soft3").qpNum());
            open.a.qp = first;
        }
    }
}
