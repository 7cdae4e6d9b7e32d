package io.verbena.nic.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.stat.CounterFileLayout;
import io.verbena.nic.stat.CounterFiles;
import io.verbena.nic.stat.CounterOwner;
import io.verbena.nic.stat.CounterSnapshot;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.nic.stat.QueuePairSample;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.WcStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Counting itself: which event reaches which counter, and what becomes of the counts of closed queue pairs. */
class NicCountersTest {
    private static final Map<WcStatus, DeviceCounter> NAMED = new EnumMap<>(Map.of(
            WcStatus.RETRY_EXC_ERR, DeviceCounter.RETRY_EXCEEDED_ERR,
            WcStatus.RNR_RETRY_EXC_ERR, DeviceCounter.RETRY_RNR_EXCEEDED_ERR));

    private final NicCounters counters = NicCounters.open("soft0", null);

    private static DeviceCounter counterOf(WcStatus status) {
        if (NAMED.containsKey(status)) {
            return NAMED.get(status);
        }
        for (DeviceCounter counter : DeviceCounter.values()) {
            if (counter.name().equals("CQE_" + status)) {
                return counter;
            }
        }
        return DeviceCounter.CQE_OTHER_ERR;
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SUCCESS")
    void eachErrorHasItsCounter(WcStatus status) {
        long record = counters.take(17, QueuePairType.RC);
        counters.sendEnded(record, status.code());
        counters.receiveFailed(record, status.code());
        counters.receiveFailed(record, status.code());
        for (DeviceCounter counter : DeviceCounter.values()) {
            assertEquals(counter == counterOf(status) ? 3 : 0, counters.own(counter), counter.name());
        }
        counters.give(record);
        assertEquals(1, counters.own(DeviceCounter.REQ_CQE_ERROR));
        assertEquals(2, counters.own(DeviceCounter.RESP_CQE_ERROR));
    }

    @Test
    void successIsNoError() {
        long record = counters.take(17, QueuePairType.RC);
        counters.sendEnded(record, 0);
        counters.give(record);
        assertEquals(0, counters.own(DeviceCounter.REQ_CQE_ERROR));
    }

    @Test
    void unknownStatusIsCountedAsOther() {
        counters.sendEnded(QueuePairCounters.NOWHERE, 99);
        assertEquals(1, counters.own(DeviceCounter.CQE_OTHER_ERR));
    }

    @ParameterizedTest
    @EnumSource
    void eachOpcodeIsCounted(Opcode opcode) {
        long record = counters.take(17, QueuePairType.RC);
        QueuePairCounters.executed(record, opcode.code(), 8);
        long operations = word(record, CounterFileLayout.SENDS) + word(record, CounterFileLayout.WRITES)
                + word(record, CounterFileLayout.READS) + word(record, CounterFileLayout.ATOMICS)
                + word(record, CounterFileLayout.LOCAL_OPERATIONS);
        boolean local = opcode == Opcode.LOCAL_INV || opcode == Opcode.BIND_MW;
        assertEquals(1, operations);
        assertEquals(local ? 1 : 0, word(record, CounterFileLayout.LOCAL_OPERATIONS));
        assertEquals(local ? 0 : 8, word(record, CounterFileLayout.SENT_BYTES)
                + word(record, CounterFileLayout.READ_BYTES));
    }

    private static long word(long record, int word) {
        return OffHeap.getLong(record + (long) word * Long.BYTES);
    }

    @Test
    void everyWordOfAClosedQueuePairGoesToTheCounterOfItsName() {
        long record = counters.take(17, QueuePairType.RC);
        for (int word = 1; word < CounterFileLayout.WORDS; word++) {
            OffHeap.putLong(record + (long) word * Long.BYTES, 100 + word);
        }
        counters.give(record);
        int found = 0;
        for (DeviceCounter counter : DeviceCounter.values()) {
            if (counter.word() != 0) {
                assertEquals(100 + counter.word(), counters.own(counter), counter.name());
                found++;
            }
        }
        assertEquals(CounterFileLayout.WORDS - 1, found, "every word has a counter");
    }

    @Test
    void countersOfOneStepGoUpByIt() {
        for (DeviceCounter counter : List.of(DeviceCounter.UD_DROP_NO_RECEIVE, DeviceCounter.UD_DROP_BAD_QKEY,
                DeviceCounter.UD_DROP_TOO_LONG, DeviceCounter.UD_DROP_UNKNOWN_QPN,
                DeviceCounter.MULTICAST_DELIVERIES)) {
            counters.add(counter, 2);
            assertEquals(2, counters.own(counter));
        }
    }

    @Test
    void identityFollowsStateAndPeerButNotOfAnotherQueuePair() {
        long record = counters.take(17, QueuePairType.UD);
        QueuePairCounters.state(record, 17, QueuePairState.RTR);
        QueuePairCounters.peer(record, 17, 0xABCDEF);
        QueuePairSample sample = new QueuePairSample(word(record, 0));
        assertEquals(List.of(17, "UD", "RTR", 0xABCDEF),
                List.of(sample.qpNum(), sample.type(), sample.state(), sample.peer()));
        QueuePairCounters.state(record, 18, QueuePairState.ERR);
        QueuePairCounters.peer(record, 18, 1);
        assertEquals(word(record, 0), CounterFileLayout.identity(17, 2, 2, 0xABCDEF));
        counters.give(record);
        QueuePairCounters.state(record, 17, QueuePairState.ERR);
        assertEquals(0, word(record, 0), "a free record stays free");
    }

    @Test
    void recordsAreReusedAndApart() {
        List<Long> records = new ArrayList<>();
        for (int i = 0; i < 1_500; i++) {
            records.add(counters.take(i + 16, QueuePairType.RC));
        }
        assertEquals(records.size(), records.stream().distinct().count());
        records.forEach(record -> assertEquals(0, record % CounterFileLayout.RECORD_BYTES));
        counters.give(records.get(700));
        assertEquals(records.get(700), counters.take(9, QueuePairType.RC));
    }

    @Test
    void queuePairsWithoutRoomInTheFileAreHiddenUntilTheyAreClosed(@TempDir Path directory) throws Exception {
        NicCounters shared = NicCounters.open("soft0", directory);
        Path file = shared.file();
        CounterMemory memory = CounterMemory.inFile(directory, new CounterOwner("soft1", 1, 1));
        QueuePairRecords records = new QueuePairRecords(memory);
        long inFile = records.take();
        memory.close();
        for (int i = 1; i < 512; i++) {
            records.take();
        }
        assertEquals(0, records.hidden());
        long hidden = records.take();
        assertEquals(1, records.hidden());
        assertEquals(1, OffHeap.getLong(memory.memory().address() + CounterFileLayout.HIDDEN));
        assertEquals(512, OffHeap.getLong(memory.memory().address() + CounterFileLayout.RECORDS_USED));
        assertNotEquals(inFile, hidden);
        records.give(hidden);
        assertEquals(0, records.hidden());
        assertTrue(CounterFiles.read(file).queuePairs().isEmpty());
        shared.close();
    }

    @Test
    void totalsStayRightWhileQueuePairsComeAndGo(@TempDir Path directory) throws Exception {
        NicCounters shared = NicCounters.open("soft0", directory);
        Thread churn = new Thread(() -> {
            for (int i = 0; i < 20_000; i++) {
                long record = shared.take(i + 16, QueuePairType.RC);
                QueuePairCounters.executed(record, Opcode.SEND.code(), 1);
                shared.give(record);
            }
        });
        churn.start();
        long before = 0;
        while (churn.isAlive()) {
            CounterSnapshot snapshot = CounterFiles.read(shared.file());
            long now = snapshot.total(DeviceCounter.RDMA_SENDS);
            if (snapshot.consistent()) {
                assertTrue(now >= before, "went back from " + before + " to " + now);
                before = now;
            }
        }
        churn.join();
        assertEquals(20_000, CounterFiles.read(shared.file()).total(DeviceCounter.RDMA_SENDS));
        shared.close();
    }
}
