package io.verbena.bench;

import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import java.lang.foreign.MemorySegment;

/** Compares the bandwidth of large READs and WRITEs with that of MemorySegment.copy between the same buffers. */
public final class BulkCost {
    private static final int DEPTH = 16;
    private static final int WARM_UPS = 10;

    private final long size;
    private final QueuePair qp;
    private final Waiter sends;
    private final MemorySegment local;
    private final MemorySegment remote;
    private final long address;
    private final int lkey;
    private final long remoteAddress;
    private final int rkey;

    private BulkCost(long size, Endpoint own, Endpoint peer) {
        this.size = size;
        qp = own.qp(0);
        sends = own.sends(0, new StopFlag());
        local = own.region().segment();
        remote = peer.region().segment();
        address = own.region().address();
        lkey = own.region().lkey();
        remoteAddress = peer.region().address();
        rkey = peer.region().rkey();
    }

    /**
     * What it came to: medians of the samples and of the ratios of samples taken in the same turn.
     *
     * @param size bytes of an operation
     * @param samples samples of each
     * @param copyBytesPerSecond MemorySegment.copy
     * @param readBytesPerSecond RDMA READ
     * @param writeBytesPerSecond RDMA WRITE
     * @param readRatio READ by copy
     * @param writeRatio WRITE by copy
     */
    public record Result(
            long size, int samples, double copyBytesPerSecond, double readBytesPerSecond, double writeBytesPerSecond,
            double readRatio, double writeRatio) {
        /**
         * As one line of JSON.
         *
         * @return an object
         */
        public Json toJson() {
            return new Json().put("test", "bulk_cost").put("size", size).put("samples", samples)
                    .put("copy_bytes_per_second", copyBytesPerSecond)
                    .put("read_bytes_per_second", readBytesPerSecond)
                    .put("write_bytes_per_second", writeBytesPerSecond)
                    .put("read_ratio", readRatio).put("write_ratio", writeRatio);
        }
    }

    /**
     * Measures.
     *
     * @param device what {@link io.verbena.verbs.Devices#open(String)} takes
     * @param size bytes of an operation
     * @param operations operations of one sample
     * @param samples samples of each
     * @param progress told how far it is
     * @return the medians
     */
    public static Result run(String device, long size, int operations, int samples, Progress progress) {
        EndpointConfig end = EndpointConfig.simple(device, Rig.stride(size), DEPTH);
        try (Endpoint a = new Endpoint(end); Endpoint b = new Endpoint(end)) {
            Endpoint.connect(a, b, PathConfig.DEFAULT);
            return new BulkCost(size, a, b).measure(operations, samples, progress);
        }
    }

    private Result measure(int operations, int count, Progress progress) {
        for (int i = 0; i < WARM_UPS; i++) {
            copies(operations);
            reads(operations);
            writes(operations);
        }
        Samples copies = new Samples();
        Samples reads = new Samples();
        Samples writes = new Samples();
        for (int i = 0; i < count; i++) {
            copies.add(rate(operations, copies(operations)));
            reads.add(rate(operations, reads(operations)));
            writes.add(rate(operations, writes(operations)));
            progress.at("bulk_cost: sample " + (i + 1) + " of " + count);
        }
        return new Result(size, count, copies.median(), reads.median(), writes.median(),
                reads.medianRatio(copies), writes.medianRatio(copies));
    }

    private double rate(int operations, long nanos) {
        return operations * (double) size * 1e9 / nanos;
    }

    /** Half of them in each direction, as READs go one way and WRITEs the other. */
    private long copies(int operations) {
        long start = System.nanoTime();
        for (int i = 0; i < operations; i++) {
            if ((i & 1) == 0) {
                MemorySegment.copy(local, 0, remote, 0, size);
            } else {
                MemorySegment.copy(remote, 0, local, 0, size);
            }
        }
        return System.nanoTime() - start;
    }

    private long reads(int operations) {
        long start = System.nanoTime();
        for (int i = 0; i < operations; i++) {
            finish(qp.postRead(0, address, size, lkey, remoteAddress, rkey, SendFlags.SIGNALED));
        }
        return System.nanoTime() - start;
    }

    private long writes(int operations) {
        long start = System.nanoTime();
        for (int i = 0; i < operations; i++) {
            finish(qp.postWrite(0, address, size, lkey, remoteAddress, rkey, SendFlags.SIGNALED));
        }
        return System.nanoTime() - start;
    }

    private void finish(int status) {
        if (status != PostStatus.OK) {
            throw PerfException.refused("an operation", status);
        }
        sends.take();
    }
}
