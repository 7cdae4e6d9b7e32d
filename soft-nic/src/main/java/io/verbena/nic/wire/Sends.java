package io.verbena.nic.wire;

import io.verbena.nic.direct.PostedRequests;
import io.verbena.nic.direct.Route;
import io.verbena.nic.ring.SendQueue;
import io.verbena.nic.ring.SendWqe;
import io.verbena.rc.SendSource;
import io.verbena.verbs.Opcode;

/** The send queue of a wired queue pair as the protocol engine reads it. */
final class Sends implements SendSource {
    private final PostedRequests requests;
    private final SendQueue queue;
    private final boolean datagrams;
    /** Every entry before this one is there; the engine asks often. */
    private long known;
    private Route route;

    Sends(PostedRequests requests, boolean datagrams) {
        this.requests = requests;
        this.datagrams = datagrams;
        queue = requests.queue();
        known = queue.next();
    }

    @Override
    public long posted() {
        while (queue.isPublished(known)) {
            known++;
        }
        return known;
    }

    /** Ends everything that was posted without a word: it belongs to a connection that is no more. */
    void drop() {
        long end = posted();
        if (end > queue.next()) {
            queue.done(end - 1);
        }
    }

    /** The queue was emptied. */
    void restart() {
        known = queue.next();
    }

    /** Where the datagram goes whose buffers were read last. */
    Route route() {
        return route;
    }

    @Override
    public int opcode(long sequence) {
        int opcode = SendWqe.opcode(queue.entry(sequence));
        if (datagrams && opcode != NOTHING && requests.route(sequence).isClosed()) {
            return Opcode.LOCAL_INV.code(); // no datagram, so it fails
        }
        return opcode;
    }

    @Override
    public int flags(long sequence) {
        return SendWqe.flags(queue.entry(sequence));
    }

    @Override
    public long remoteAddress(long sequence) {
        return SendWqe.remoteAddress(queue.entry(sequence));
    }

    @Override
    public int rkey(long sequence) {
        return SendWqe.rkey(queue.entry(sequence));
    }

    @Override
    public long compareAdd(long sequence) {
        return SendWqe.compareAdd(queue.entry(sequence));
    }

    @Override
    public long swap(long sequence) {
        return SendWqe.swap(queue.entry(sequence));
    }

    @Override
    public int imm(long sequence) {
        return SendWqe.imm(queue.entry(sequence));
    }

    @Override
    public int bufferCount(long sequence) {
        return SendWqe.count(queue.entry(sequence));
    }

    @Override
    public long buffers(long sequence) {
        if (datagrams) {
            route = requests.route(sequence);
        }
        return SendWqe.buffer(queue.entry(sequence), 0);
    }

    @Override
    public int inlineLength(long sequence) {
        return SendWqe.inlineLength(queue.entry(sequence));
    }

    @Override
    public int executeLocal(long sequence) {
        return requests.executeLocal(queue.entry(sequence));
    }
}
