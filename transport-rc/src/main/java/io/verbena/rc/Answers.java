package io.verbena.rc;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Psn;
import io.verbena.rc.packet.Syndrome;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;

/**
 * What the responder still has to say: answers to READs and atomics one after the other, then one acknowledgement,
 * which stands for all before it (IBA 9.7.5.1). An acknowledgement never overtakes an answer; it may wait for others,
 * or for some packet that it can go with.
 */
final class Answers {
    private static final int NOTHING = -1;

    private final RcConnection connection;
    private ConnectionConfig config;
    private final HostMemory memory;
    private final ReceiveSource receives;
    private final Timers timers;
    private final Replay replay;
    /** Places in {@link #replay} that are to be answered, in a ring. */
    private int[] queue;
    private int head;
    private int queued;
    /** For each place whether it is in the queue, and what of it is to be sent. */
    private boolean[] waiting;
    private long[] from;
    private long[] next;
    private long[] until;

    private int syndrome = NOTHING;
    private long position;
    private int msn;
    private boolean due;
    /** Packets executed since the last acknowledgement, or answer that stands for one. */
    private int unacknowledged;
    /** Whether a gap was reported and nothing acknowledged since. */
    private boolean gapReported;
    private boolean acknowledgesFirst;
    private boolean lastWord;
    private int lastSyndrome = NOTHING;

    Answers(RcConnection connection, Host host, Replay replay) {
        this.connection = connection;
        config = connection.config();
        memory = host.memory();
        receives = host.receives();
        timers = connection.timers();
        this.replay = replay;
        int places = replay.capacity();
        queue = new int[places];
        waiting = new boolean[places];
        from = new long[places];
        next = new long[places];
        until = new long[places];
    }

    void update(ConnectionConfig newConfig) {
        config = newConfig;
    }

    /** Has more requests remembered, and answered at a time. */
    void grow(int places) {
        int oldest = replay.oldestPlace();
        int size = queue.length;
        int[] grown = new int[places];
        for (int i = 0; i < queued; i++) {
            grown[i] = Math.floorMod(queue[(head + i) % size] - oldest, size);
        }
        queue = grown;
        head = 0;
        waiting = (boolean[]) Replay.moved(waiting, new boolean[places], oldest, size);
        from = (long[]) Replay.moved(from, new long[places], oldest, size);
        next = (long[]) Replay.moved(next, new long[places], oldest, size);
        until = (long[]) Replay.moved(until, new long[places], oldest, size);
        replay.grow(places);
    }

    // What is to be said

    /** A place is about to be used for another request. */
    void forget(int place) {
        if (!waiting[place]) {
            return;
        }
        int kept = 0;
        for (int i = 0; i < queued; i++) {
            int entry = queue[(head + i) % queue.length];
            if (entry != place) {
                queue[(head + kept++) % queue.length] = entry;
            }
        }
        queued = kept;
        waiting[place] = false;
    }

    /** Answers a remembered request, or the part of it from a position to another. */
    void answer(int place, long start, long end) {
        if (waiting[place]) {
            if (start < next[place]) {
                // Asked again from there: the answer starts anew, as for a request of its own.
                next[place] = start;
                from[place] = start;
            }
            return;
        }
        waiting[place] = true;
        from[place] = start;
        next[place] = start;
        until[place] = end;
        queue[(head + queued) % queue.length] = place;
        queued++;
    }

    /** A request was executed: whatever was said about its position before is void. */
    void accepted() {
        unacknowledged++;
        if (isNak()) {
            syndrome = NOTHING;
            due = false;
        }
    }

    private boolean isNak() {
        return syndrome != NOTHING && Syndrome.kind(syndrome) != Syndrome.ACK;
    }

    /** The peer asked for an acknowledgement of everything up to a position. */
    void acknowledge(long upTo, int messages, long now) {
        say(Syndrome.ACK, upTo, messages);
        if (config.responding().ackDelayNs() == 0 || unacknowledged >= config.responding().ackEvery()) {
            due = true;
        } else if (!due && !timers.isArmed(Timers.ACK)) {
            timers.arm(Timers.ACK, now + config.responding().ackDelayNs());
        }
    }

    /** The peer seems to have missed an acknowledgement. */
    void acknowledgeAgain(long upTo, int messages) {
        if (!isNak()) {
            say(Syndrome.ACK, upTo, messages);
            due = true;
        }
    }

    /** Refuses the packet at a position. */
    void refuse(int newSyndrome, long at, int messages) {
        say(newSyndrome, at, messages);
        acknowledgesFirst = false;
        due = true;
    }

    /**
     * Says what is awaited, since something later came. Between two such words goes an acknowledgement, though it says
     * no more than the second one: Linux's rxe goes back only once until it sees one, and waits for its timer then.
     *
     * @param afterMessage whether a part of a message lies before the gap; no acknowledgement may stand for an answer
     */
    void reportGap(long at, int messages, boolean afterMessage) {
        refuse(Syndrome.NAK_SEQUENCE, at, messages);
        acknowledgesFirst = gapReported && afterMessage;
    }

    /** Nothing will be said after what is to be said now. */
    void close() {
        lastWord = true;
        lastSyndrome = syndrome;
    }

    /** Says the last word again, since the peer asks once more: it may have been lost. False when there was none. */
    boolean repeatLastWord() {
        if (!lastWord || lastSyndrome == NOTHING) {
            return false;
        }
        syndrome = lastSyndrome;
        due = true;
        return true;
    }

    private void say(int newSyndrome, long at, int messages) {
        if (!lastWord) {
            syndrome = newSyndrome;
            position = at;
            msn = messages;
        }
    }

    /** The acknowledgement has waited long enough. */
    void makeDue() {
        due = syndrome != NOTHING;
    }

    /** Says nothing any more. */
    void clear() {
        while (queued > 0) {
            pop();
        }
        syndrome = NOTHING;
        lastSyndrome = NOTHING;
        timers.disarm(Timers.ACK);
    }

    // Saying it

    /** Writes the next answer; false when there is none that must go now. */
    boolean nextPacket(PacketWriter writer) {
        if (queued > 0) {
            int place = queue[head];
            return replay.type(place) == PacketType.RC_READ_REQUEST ? read(writer, place) : single(writer, place);
        }
        if (syndrome == NOTHING || !due) {
            return false;
        }
        acknowledgement(writer);
        return true;
    }

    /** Writes the acknowledgement that waits, when nothing has to be said before it. */
    boolean lastPacket(PacketWriter writer) {
        if (queued > 0 || syndrome == NOTHING) {
            return false;
        }
        acknowledgement(writer);
        return true;
    }

    private void acknowledgement(PacketWriter writer) {
        boolean first = acknowledgesFirst && isNak();
        acknowledgesFirst = false;
        gapReported = isNak() && !first && (gapReported || syndrome == Syndrome.NAK_SEQUENCE);
        writer.begin(PacketType.RC_ACKNOWLEDGE, config.remoteQpNum(), Psn.wire(first ? position - 1 : position));
        writer.aeth(isNak() && !first ? syndrome : credits(), msn);
        writer.finish(0);
        if (!first) {
            said();
        }
    }

    private void said() {
        syndrome = NOTHING;
        due = false;
        unacknowledged = 0;
        timers.disarm(Timers.ACK);
    }

    private int credits() {
        long available = config.responding().credits() ? receives.available() : -1;
        return Syndrome.ACK | (available < 0 ? Syndrome.UNLIMITED : Syndrome.creditCode(available));
    }

    private boolean single(PacketWriter writer, int place) {
        PacketType request = replay.type(place);
        writer.begin(request.isAtomic() ? PacketType.RC_ATOMIC_ACKNOWLEDGE : PacketType.RC_READ_RESPONSE_ONLY,
                config.remoteQpNum(), Psn.wire(replay.first(place)));
        writer.aeth(credits(), replay.msn(place));
        if (request.isAtomic()) {
            writer.atomicAck(replay.value(place));
        }
        writer.finish(0);
        pop();
        impliesAcknowledgement(replay.first(place));
        return true;
    }

    private boolean read(PacketWriter writer, int place) {
        long at = next[place];
        boolean start = at == from[place];
        boolean end = at == until[place];
        long offset = (at - replay.first(place)) * config.mtuBytes();
        int bytes = (int) Math.min(config.mtuBytes(), replay.length(place) - offset);
        PacketType type = start
                ? end ? PacketType.RC_READ_RESPONSE_ONLY : PacketType.RC_READ_RESPONSE_FIRST
                : end ? PacketType.RC_READ_RESPONSE_LAST : PacketType.RC_READ_RESPONSE_MIDDLE;
        writer.begin(type, config.remoteQpNum(), Psn.wire(at));
        if (type.hasAeth()) {
            writer.aeth(credits(), replay.msn(place));
        }
        if (!memory.read(replay.rkey(place), replay.address(place) + offset, bytes, writer.payload())) {
            return refuseRead(writer, place, at);
        }
        writer.finish(bytes);
        next[place] = at + 1;
        if (end) {
            pop();
        }
        impliesAcknowledgement(at);
        return true;
    }

    /** The memory of a READ was taken away between its answers. */
    private boolean refuseRead(PacketWriter writer, int place, long at) {
        int messages = replay.msn(place);
        clear();
        lastWord = false;
        refuse(Syndrome.NAK_REMOTE_ACCESS, at, messages);
        acknowledgement(writer);
        close();
        connection.failReceive(Kind.QP_ACCESS_ERR);
        return true;
    }

    private void pop() {
        waiting[queue[head]] = false;
        head = (head + 1) % queue.length;
        queued--;
    }

    /** An answer acknowledges everything before it. */
    private void impliesAcknowledgement(long answered) {
        if (syndrome == NOTHING) {
            unacknowledged = 0;
        } else if (syndrome == Syndrome.ACK && position <= answered && !lastWord) {
            said();
        }
    }
}
