package io.verbena.nic.stat;

import org.agrona.concurrent.status.CountersReader;

/**
 * What lies where in a counter file, in native byte order. All offsets and sizes are bytes, all words are 8 bytes.
 *
 * <pre>
 *   0            header, {@value #HEADER_BYTES} bytes
 *   METADATA     Agrona counter metadata, 512 bytes for each of {@value #COUNTERS} counters
 *   VALUES       Agrona counter values, 128 bytes for each
 *   RECORDS      queue pair records, {@value #RECORD_BYTES} bytes each, to the end of the file
 * </pre>
 *
 * <p>The magic is written last: a file without it is being made. Words are written whole and read whole; those of a
 * record are written without any order between them. A record is free while its first word is 0. When a queue pair is
 * closed, its counts move into the Agrona counters of the same name: {@link #STRUCTURE} is odd meanwhile, and who reads
 * looks at it before and after. The file is sparse: only records below {@link #RECORDS_USED} may be read.
 */
public final class CounterFileLayout {
    /** First word of every counter file. */
    public static final long MAGIC = 0x5652_424E_5354_4154L;
    /** What this class describes; a reader refuses any other. */
    public static final int VERSION = 1;

    /** The header. */
    public static final int HEADER_BYTES = 4096;
    /** {@link #MAGIC}. */
    public static final int MAGIC_AT = 0;
    /** {@link #VERSION}, in 8 bytes. */
    public static final int VERSION_AT = 8;
    /** The process. */
    public static final int PID = 16;
    /** When the process started, in milliseconds since 1970; 0 if unknown. */
    public static final int PROCESS_START = 24;
    /** When the NIC was opened, in milliseconds since 1970. */
    public static final int OPENED = 32;
    /** Changes by two whenever a queue pair was closed; odd while one is. */
    public static final int STRUCTURE = 40;
    /** Records before this index may be in use. */
    public static final int RECORDS_USED = 48;
    /** Open queue pairs that found no room in the file: their counts appear when they are closed. */
    public static final int HIDDEN = 56;
    /** Not 0 once the NIC was closed. */
    public static final int CLOSED = 64;
    /** Length of the device's name, at most {@link #NAME_LIMIT}. */
    public static final int NAME_LENGTH = 72;
    /** The device's name in ASCII. */
    public static final int NAME = 80;
    /** The longest name. */
    public static final int NAME_LIMIT = 64;

    /** Room for so many Agrona counters. */
    public static final int COUNTERS = 128;
    /** Where the metadata is. */
    public static final int METADATA = HEADER_BYTES;
    /** Length of the metadata. */
    public static final int METADATA_BYTES = COUNTERS * CountersReader.METADATA_LENGTH;
    /** Where the values are. */
    public static final int VALUES = METADATA + METADATA_BYTES;
    /** Length of the values. */
    public static final int VALUES_BYTES = COUNTERS * CountersReader.COUNTER_LENGTH;
    /** What the label of a counter ends with that holds the part of closed queue pairs; see {@link DeviceCounter}. */
    public static final String CLOSED_PART = " (closed queue pairs)";

    /** Where the records are. */
    public static final int RECORDS = VALUES + VALUES_BYTES;
    /** One record: two cache lines, the first of the sending side, the second of the receiving side and of errors. */
    public static final int RECORD_BYTES = 128;
    /** The most records that a file may have. */
    public static final int RECORD_LIMIT = 1 << 17;

    // Words of a record, by index.

    /** Queue pair number 0-23, type plus one 24-27, state 28-31, the peer's number 32-55; 0 when the record is free. */
    public static final int IDENTITY = 0;
    /** SENDs executed. */
    public static final int SENDS = 1;
    /** RDMA WRITEs executed. */
    public static final int WRITES = 2;
    /** RDMA READs executed. */
    public static final int READS = 3;
    /** Atomics executed. */
    public static final int ATOMICS = 4;
    /** Payload bytes of SENDs and WRITEs. */
    public static final int SENT_BYTES = 5;
    /** Payload bytes that READs and atomics brought. */
    public static final int READ_BYTES = 6;
    /** SENDs and WRITEs with an immediate value. */
    public static final int WITH_IMM = 7;
    /** Receives completed and polled, without error. */
    public static final int RECEIVES = 8;
    /** Payload bytes of these. */
    public static final int RECEIVED_BYTES = 9;
    /** Receives polled that ended in an error. */
    public static final int RECEIVE_ERRORS = 10;
    /** Sends that ended in an error. */
    public static final int SEND_ERRORS = 11;
    /** Times a send found no receive at the peer. */
    public static final int RNR_WAITS = 12;
    /** Times the answer timer ran out. */
    public static final int RETRIES = 13;
    /** Local operations executed: LOCAL_INV, BIND_MW. */
    public static final int LOCAL_OPERATIONS = 14;
    /** Those atomics that are compare and swaps. */
    public static final int COMPARE_SWAPS = 15;
    /** Words of a record. */
    public static final int WORDS = RECORD_BYTES / Long.BYTES;

    private static final int NUMBER_MASK = 0xFF_FFFF;

    private CounterFileLayout() {}

    /**
     * Packs an identity.
     *
     * @param qpNum queue pair number, 24 bits
     * @param type ordinal of a QueuePairType
     * @param state ordinal of a QueuePairState
     * @param peer the peer's queue pair number, 24 bits
     * @return the word; never 0
     */
    public static long identity(int qpNum, int type, int state, int peer) {
        return qpNum & NUMBER_MASK | type + 1L << 24 | (long) state << 28 | (long) (peer & NUMBER_MASK) << 32;
    }

    /**
     * Unpacks the queue pair number.
     *
     * @param identity the word
     * @return 24 bits
     */
    public static int qpNum(long identity) {
        return (int) identity & NUMBER_MASK;
    }

    /**
     * Unpacks the type.
     *
     * @param identity the word
     * @return ordinal of a QueuePairType; any number from -1 to 14 in a file that somebody else has written to
     */
    public static int type(long identity) {
        return (int) (identity >>> 24 & 0xF) - 1;
    }

    /**
     * Unpacks the state.
     *
     * @param identity the word
     * @return ordinal of a QueuePairState; any number from 0 to 15 in a file that somebody else has written to
     */
    public static int state(long identity) {
        return (int) (identity >>> 28) & 0xF;
    }

    /**
     * Unpacks the peer's queue pair number.
     *
     * @param identity the word
     * @return 24 bits; 0 when not connected
     */
    public static int peer(long identity) {
        return (int) (identity >>> 32) & NUMBER_MASK;
    }
}
