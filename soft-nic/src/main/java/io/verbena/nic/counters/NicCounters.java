package io.verbena.nic.counters;

import io.verbena.nic.memory.OffHeap;
import io.verbena.nic.stat.CounterFileLayout;
import io.verbena.nic.stat.CounterOwner;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.WcStatus;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;

/**
 * The counters of one NIC: Agrona counters for the device, a record for each queue pair. Counting is by any thread,
 * unless a method says otherwise; it never fails and never blocks.
 */
public final class NicCounters {
    /** Where a warning goes when there is no file: the logger of this name. */
    public static final String LOGGER = "io.verbena.nic.counters";

    private static final DeviceCounter[] COUNTERS = DeviceCounter.values();
    private static final AtomicBoolean WARNED = new AtomicBoolean();

    private final CounterMemory memory;
    private final long base;
    private final long[] addresses = new long[COUNTERS.length];
    private final QueuePairRecords records;
    private final String device;

    private NicCounters(String device, CounterMemory memory) {
        this.device = device;
        this.memory = memory;
        base = memory.memory().address();
        records = new QueuePairRecords(memory);
        UnsafeBuffer metadata = new UnsafeBuffer(base + CounterFileLayout.METADATA, CounterFileLayout.METADATA_BYTES);
        UnsafeBuffer values = new UnsafeBuffer(base + CounterFileLayout.VALUES, CounterFileLayout.VALUES_BYTES);
        CountersManager manager = new CountersManager(metadata, values, StandardCharsets.US_ASCII);
        for (DeviceCounter counter : COUNTERS) {
            String suffix = counter.word() == 0 ? "" : CounterFileLayout.CLOSED_PART;
            int id = manager.allocate(counter.label() + suffix, counter.ordinal());
            addresses[counter.ordinal()] = base + CounterFileLayout.VALUES + CountersReader.counterOffset(id);
        }
    }

    /**
     * Counters in a file of this process, or in private memory when the file can't be made; that is reported once in a
     * process, as a warning of the system logger {@link #LOGGER}.
     *
     * @param device the NIC's name
     * @param directory where the file goes; null for private memory
     */
    public static NicCounters open(String device, Path directory) {
        if (directory == null) {
            return new NicCounters(device, CounterMemory.inPrivate());
        }
        try {
            CounterOwner owner = CounterOwner.current(device);
            NicCounters counters = new NicCounters(device, CounterMemory.inFile(directory, owner));
            counters.writeHeader(owner);
            return counters;
        } catch (IOException e) {
            warn(device + ": its counters can't be read from outside: " + reason(e));
            return new NicCounters(device, CounterMemory.inPrivate());
        }
    }

    private static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "there is no " + missing.getFile();
            case AccessDeniedException denied -> "access to " + denied.getFile() + " is denied";
            default -> e.getClass() == IOException.class ? e.getMessage() : e.toString();
        };
    }

    private static void warn(String text) {
        if (WARNED.compareAndSet(false, true)) {
            System.getLogger(LOGGER).log(System.Logger.Level.WARNING,
                    text + "; soft?countersDir=PATH names another folder, soft?counters=off makes no file");
        }
    }

    private void writeHeader(CounterOwner owner) {
        put(CounterFileLayout.VERSION_AT, CounterFileLayout.VERSION);
        put(CounterFileLayout.PID, owner.pid());
        put(CounterFileLayout.PROCESS_START, owner.startMillis());
        put(CounterFileLayout.OPENED, System.currentTimeMillis());
        byte[] name = device.getBytes(StandardCharsets.US_ASCII);
        int length = Math.min(name.length, CounterFileLayout.NAME_LIMIT);
        MemorySegment.copy(name, 0, memory.memory(), ValueLayout.JAVA_BYTE, CounterFileLayout.NAME, length);
        put(CounterFileLayout.NAME_LENGTH, length);
        put(CounterFileLayout.MAGIC_AT, CounterFileLayout.MAGIC);
    }

    private void put(int offset, long value) {
        OffHeap.putLongRelease(base + offset, value);
    }

    /** The file that other processes read, or null. */
    public Path file() {
        return memory.file();
    }

    // The device

    /** Adds to a counter; negative for what there is less of. */
    public void add(DeviceCounter counter, long delta) {
        OffHeap.getAndAddLong(addresses[counter.ordinal()], delta);
    }

    /** What a counter holds itself, without the part of open queue pairs. */
    public long own(DeviceCounter counter) {
        return OffHeap.getLongAcquire(addresses[counter.ordinal()]);
    }

    private void error(int status) {
        WcStatus known = WcStatus.ofCode(status);
        add(switch (known == null ? WcStatus.GENERAL_ERR : known) {
            case LOC_LEN_ERR -> DeviceCounter.CQE_LOC_LEN_ERR;
            case LOC_QP_OP_ERR -> DeviceCounter.CQE_LOC_QP_OP_ERR;
            case LOC_PROT_ERR -> DeviceCounter.CQE_LOC_PROT_ERR;
            case WR_FLUSH_ERR -> DeviceCounter.CQE_WR_FLUSH_ERR;
            case MW_BIND_ERR -> DeviceCounter.CQE_MW_BIND_ERR;
            case BAD_RESP_ERR -> DeviceCounter.CQE_BAD_RESP_ERR;
            case LOC_ACCESS_ERR -> DeviceCounter.CQE_LOC_ACCESS_ERR;
            case REM_INV_REQ_ERR -> DeviceCounter.CQE_REM_INV_REQ_ERR;
            case REM_ACCESS_ERR -> DeviceCounter.CQE_REM_ACCESS_ERR;
            case REM_OP_ERR -> DeviceCounter.CQE_REM_OP_ERR;
            case RETRY_EXC_ERR -> DeviceCounter.RETRY_EXCEEDED_ERR;
            case RNR_RETRY_EXC_ERR -> DeviceCounter.RETRY_RNR_EXCEEDED_ERR;
            default -> DeviceCounter.CQE_OTHER_ERR;
        }, 1);
    }

    /**
     * Counts how a send ended, if that was an error; by the holder of the send queue.
     *
     * @param record of its queue pair
     * @param status code of a WcStatus
     */
    public void sendEnded(long record, int status) {
        if (status != 0) {
            QueuePairCounters.sendError(record);
            error(status);
        }
    }

    /**
     * Counts a receive that was polled with an error; by the holder of the poll role.
     *
     * @param record of its queue pair
     * @param status code of a WcStatus other than SUCCESS
     */
    public void receiveFailed(long record, int status) {
        QueuePairCounters.receiveError(record);
        error(status);
    }

    /**
     * Counts a send that found no receive; by the holder of the send queue.
     *
     * @param record of its queue pair
     * @param peer counters of the peer's NIC
     */
    public void notReady(long record, NicCounters peer) {
        notReady(record);
        peer.add(DeviceCounter.SEND_RNR_ERR, 1);
    }

    /**
     * The same when the peer counts for itself.
     *
     * @param record of its queue pair
     */
    public void notReady(long record) {
        QueuePairCounters.notReady(record);
    }

    /**
     * Counts a message of an unreliable connection that the peer did not take; by the holder of the send queue.
     *
     * @param record of its queue pair
     * @param opcode code of an Opcode
     * @param bytes its payload
     */
    public void lost(long record, int opcode, long bytes) {
        QueuePairCounters.executed(record, opcode, bytes);
        add(DeviceCounter.UC_LOST, 1);
    }

    /**
     * Counts a request of a peer that was refused here without taking a receive.
     *
     * @param status what the peer is told
     */
    public void refused(WcStatus status) {
        if (status == WcStatus.REM_ACCESS_ERR) {
            add(DeviceCounter.RESP_REMOTE_ACCESS_ERRORS, 1);
        } else if (status == WcStatus.REM_INV_REQ_ERR) {
            add(DeviceCounter.RESP_REMOTE_INVALID_REQUEST, 1);
        }
    }

    /**
     * Counts a message of a peer whose receive ends in an error.
     *
     * @param status how the receive ends
     */
    public void receiveRefused(WcStatus status) {
        add(switch (status) {
            case LOC_LEN_ERR -> DeviceCounter.RESP_LOCAL_LENGTH_ERROR;
            case LOC_PROT_ERR -> DeviceCounter.RESP_LOCAL_PROT_ERRORS;
            default -> DeviceCounter.RESP_REMOTE_INVALID_REQUEST;
        }, 1);
    }

    // Queue pairs; the caller serialises these calls

    /** Takes a record for a queue pair in RESET; see {@link QueuePairCounters}. */
    public long take(int qpNum, QueuePairType type) {
        long hidden = records.hidden();
        long record = records.take();
        if (memory.file() != null && records.hidden() > hidden) {
            warn(device + ": there is no room in " + memory.file() + " for the counters of more queue pairs");
        }
        OffHeap.putLongRelease(record,
                CounterFileLayout.identity(qpNum, type.ordinal(), QueuePairState.RESET.ordinal(), 0));
        return record;
    }

    /** Takes a record back: nobody counts in it any more. Its counts become the device's own. */
    public void give(long record) {
        long structure = OffHeap.getLong(base + CounterFileLayout.STRUCTURE);
        put(CounterFileLayout.STRUCTURE, structure + 1);
        VarHandle.storeStoreFence();
        for (DeviceCounter counter : COUNTERS) {
            if (counter.word() != 0) {
                add(counter, OffHeap.getLong(record + (long) counter.word() * Long.BYTES));
            }
        }
        records.give(record);
        put(CounterFileLayout.STRUCTURE, structure + 2);
    }

    /** Removes the file; counting goes on in memory that nobody else reads. */
    public void close() {
        put(CounterFileLayout.CLOSED, 1);
        memory.close();
    }
}
