package io.verbena.bench;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.WorkCompletion;
import java.util.Arrays;
import org.HdrHistogram.Histogram;

/**
 * One thread keeps the send queues of all queue pairs full and polls their completions. A subclass for each
 * operation posts it; a run loads one of them only, so that the call is inlined. Now and then a signalled operation
 * is timed from post to completion.
 *
 * <p>A work request's id holds the index of its queue pair (above bit 48) and its number on it, from 1.
 */
abstract class Bandwidth extends Side {
    private static final int INDEX_SHIFT = 48;
    private static final long NUMBER_MASK = (1L << INDEX_SHIFT) - 1;
    private static final int POLL_BATCH = 16;
    private static final int SAMPLE_EVERY = 64;

    /** Bytes of one operation. */
    protected final long size;
    /** Local memory of each queue pair. */
    protected final long[] addresses;
    /** Its key. */
    protected final int lkey;
    /** The peer's memory for each queue pair. */
    protected final long[] remoteAddresses;
    /** Its key. */
    protected final int rkey;
    /** Flags of every operation. */
    protected final int flags;

    private final QueuePair[] qps;
    private final CompletionQueue queue;
    private final Waiter waiter;
    private final Histogram histogram;
    private final WorkCompletion[] completions = new WorkCompletion[POLL_BATCH];
    private final SendRequests list;
    private final int depth;
    private final int postList;
    private final int signalEvery;
    private final int sampleEvery;
    private final long[] share;
    private final long[] posted;
    private final long[] completed;
    private final int[] untilSignal;
    private final boolean sleeps;
    private long finished;
    private int untilSample;
    private long sampled;
    private long sampleStart;

    Bandwidth(StopFlag stop, Endpoint own, PeerMemory peer, PerfConfig config, Histogram histogram) {
        super(stop);
        this.histogram = histogram;
        size = config.size();
        int count = own.qps();
        QueueShape shape = config.queues();
        depth = shape.txDepth();
        postList = shape.postList();
        // With lists, the last request of a list is signalled: every so many lists, within cqMod and depth.
        signalEvery = postList == 1 ? shape.cqMod() : Math.max(1, shape.cqMod() / postList);
        sampleEvery = Math.max(1, SAMPLE_EVERY / shape.cqMod());
        flags = size <= shape.inlineSize() ? SendFlags.INLINE : 0;
        lkey = own.region().lkey();
        rkey = peer.rkey();
        qps = new QueuePair[count];
        addresses = new long[count];
        remoteAddresses = new long[count];
        for (int i = 0; i < count; i++) {
            qps[i] = own.qp(i);
            addresses[i] = own.region().address() + i * Rig.stride(size);
            remoteAddresses[i] = peer.address() + i * Rig.stride(size);
        }
        share = new long[count];
        posted = new long[count];
        completed = new long[count];
        untilSignal = new int[count];
        list = new SendRequests(postList, 1);
        queue = qps[0].sendCq();
        waiter = own.sends(0, stop);
        sleeps = own.channel() != null;
        Arrays.setAll(completions, i -> new WorkCompletion());
    }

    /** Posts one operation of a queue pair. */
    abstract int post(QueuePair qp, int index, long wrId, int allFlags);

    /** Adds one operation of a queue pair to a list. */
    abstract void add(SendRequests requests, int index, long wrId, int allFlags);

    /** How many of the operations wanted next on a queue pair may be posted now. */
    long allowed(int index, long wanted) {
        return wanted;
    }

    /** Notes operations posted on a queue pair. */
    void sent(int index, long count) {}

    @Override
    public void run(long count) {
        for (int i = 0; i < qps.length; i++) {
            share[i] = count / qps.length + (i < count % qps.length ? 1 : 0);
            posted[i] = 0;
            completed[i] = 0;
            untilSignal[i] = signalEvery;
        }
        finished = 0;
        untilSample = 1;
        sampled = 0;
        int idle = 0;
        while (finished < count) {
            fillQueues();
            if (drain()) {
                idle = 0;
            } else if (sleeps) {
                take(waiter.take());
            } else if (++idle == PATIENCE) {
                idle = giveWay();
            }
        }
    }

    private void fillQueues() {
        for (int i = 0; i < qps.length; i++) {
            if (postList == 1) {
                fillOne(i);
            } else {
                fillByLists(i);
            }
        }
    }

    private void fillOne(int index) {
        QueuePair qp = qps[index];
        long last = share[index];
        long number = posted[index];
        long most = number + allowed(index, Math.min(last, completed[index] + depth) - number);
        int until = untilSignal[index];
        long idBase = (long) index << INDEX_SHIFT;
        while (number < most) {
            number++;
            int allFlags = flags;
            if (--until == 0 || number == last) {
                allFlags |= SendFlags.SIGNALED;
                until = signalEvery;
                sampleMaybe(idBase + number);
            }
            int status = post(qp, index, idBase + number, allFlags);
            if (status != PostStatus.OK) {
                throw PerfException.refused("an operation", status);
            }
        }
        sent(index, number - posted[index]);
        posted[index] = number;
        untilSignal[index] = until;
    }

    private void fillByLists(int index) {
        while (posted[index] < share[index] && posted[index] - completed[index] + postList <= depth) {
            int count = (int) Math.min(postList, share[index] - posted[index]);
            if (allowed(index, count) < count) {
                return;
            }
            sent(index, count);
            long idBase = ((long) index << INDEX_SHIFT) + posted[index];
            list.clear();
            for (int i = 1; i < count; i++) {
                add(list, index, idBase + i, flags);
            }
            posted[index] += count;
            int allFlags = flags;
            if (--untilSignal[index] == 0 || posted[index] == share[index]) {
                allFlags |= SendFlags.SIGNALED;
                untilSignal[index] = signalEvery;
                sampleMaybe(idBase + count);
            }
            add(list, index, idBase + count, allFlags);
            int status = qps[index].postSend(list);
            if (status != PostStatus.OK) {
                throw PerfException.refused("operation " + list.refusedIndex() + " of a list", status);
            }
        }
    }

    private void sampleMaybe(long wrId) {
        if (sampled == 0 && --untilSample <= 0) {
            untilSample = sampleEvery;
            sampled = wrId;
            sampleStart = System.nanoTime();
        }
    }

    private boolean drain() {
        int polled = queue.poll(completions);
        if (polled < 0) {
            throw PerfException.failed(polled, completions[0]);
        }
        for (int i = 0; i < polled; i++) {
            take(completions[i]);
        }
        return polled > 0;
    }

    private void take(WorkCompletion completion) {
        if (completion.statusCode() != 0) {
            throw PerfException.failed(1, completion);
        }
        long wrId = completion.wrId();
        if (wrId == sampled) {
            histogram.recordValue(Math.min(System.nanoTime() - sampleStart, Rig.LONGEST_NS));
            sampled = 0;
        }
        int index = (int) (wrId >>> INDEX_SHIFT);
        long number = wrId & NUMBER_MASK;
        finished += number - completed[index];
        completed[index] = number;
    }
}
