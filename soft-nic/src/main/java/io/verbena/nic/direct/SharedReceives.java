package io.verbena.nic.direct;

import io.verbena.nic.memory.Blocks;
import io.verbena.nic.ring.Detail;
import io.verbena.nic.ring.SharedLane;
import io.verbena.nic.ring.SharedQueue;
import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;

/**
 * Where a queue pair's receives come from when many senders draw from them: a shared receive queue, or its own queue
 * when it takes datagrams.
 *
 * @param queue the receives
 * @param lane where they complete for this queue pair
 * @param domain whose local keys they use
 * @param own whether the queue belongs to this queue pair alone
 * @param memory of the lane, and of the queue if it is its own; to be given back when nobody delivers or polls any more
 */
public record SharedReceives(SharedQueue queue, SharedLane lane, int domain, boolean own, Blocks memory) {
    private static final long FLUSHED = Detail.of(0, WcOpcode.RECV.code(), WcStatus.WR_FLUSH_ERR.code(), 0);

    /** Reports every posted receive as flushed; when no sender delivers any more. */
    void flush(int qpNum, long record) {
        for (int id = queue.take(); id >= 0; id = queue.take()) {
            if (!lane.produce(id, FLUSHED, 0, (long) qpNum << Integer.SIZE, true, record)) {
                queue.giveBack(id);
                return;
            }
        }
    }

    /** Drops what belongs to a queue pair in RESET. */
    void discard(int qpNum, boolean close) {
        if (own) {
            if (close) {
                queue.close();
            }
            queue.dropPosted();
        }
        lane.discard(qpNum);
    }
}
