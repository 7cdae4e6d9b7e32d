package io.verbena.rc;

import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Psn;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.WcStatus;

/**
 * Turns work requests into request packets, in order and within what may be outstanding (IBA 9.7.2, 9.7.3). A packet is
 * written anew from its request whenever it is sent; the only state is the cursor of the {@link SendWindow}, which
 * moves when a packet is complete.
 */
final class Requester {
    private static final long MAX_MESSAGE = 1L << 31;
    /** An acknowledgement is asked for at least this often. */
    private static final int MAX_SILENT_PACKETS = 32;
    private static final int NOBODY = -1;

    private final RcConnection connection;
    private final SendSource source;
    private final CompletionSink sink;
    private final ConnectionConfig config;
    private ConnectionConfig.Requesting limits;
    private final SendWindow window;
    private final Timers timers;
    private final MessagePackets packets;
    private final Credits credits;
    private final RoundTrip roundTrip = new RoundTrip();
    private int silentPackets;
    private long brokenSequence = NOBODY;
    private int brokenStatus;

    Requester(RcConnection connection, Host host, ConnectionConfig.Requesting limits, SendWindow window,
            Credits credits) {
        this.connection = connection;
        source = host.sends();
        sink = host.completions();
        config = connection.config();
        this.limits = limits;
        this.window = window;
        this.credits = credits;
        timers = connection.timers();
        packets = new MessagePackets(host, config, PacketType.RC);
    }

    RoundTrip roundTrip() {
        return roundTrip;
    }

    void limits(ConnectionConfig.Requesting changed) {
        limits = changed;
    }

    /** The buffers of a request. */
    Buffers buffers(long sequence) {
        return packets.buffers(sequence);
    }

    /** Writes the next request packet; false when there is nothing to be sent now. */
    boolean nextPacket(PacketWriter writer, long now) {
        if (timers.isArmed(Timers.RNR)) {
            return false;
        }
        while (window.cursor() == window.end()) {
            if (!begin()) {
                return false;
            }
        }
        if (window.inFlight() >= limits.windowPackets() || window.cursorSequence() == brokenSequence) {
            return false;
        }
        return write(writer, window.cursorSequence(), now);
    }

    /** Begins the next request if it may begin now; true when there may be more to do. */
    private boolean begin() {
        long sequence = window.begun();
        if (!connection.maySend() || brokenSequence != NOBODY || window.isFull()
                || sequence == source.posted()) {
            return false;
        }
        int opcode = source.opcode(sequence);
        if (isLocal(opcode)) {
            return window.oldest() == sequence && executeLocal(sequence, opcode);
        }
        boolean reads = SendWindow.wantsResponse(opcode);
        if ((source.flags(sequence) & SendFlags.FENCE) != 0 && window.reads() > 0
                || reads && limits.maxReads() > 0 && window.reads() >= limits.maxReads()) {
            return false;
        }
        boolean message = MessagePackets.isMessage(opcode);
        boolean takesReceive = message && opcode != Opcode.RDMA_WRITE.code();
        // With nothing outstanding one message may find out whether there are receives by now.
        if (takesReceive && !credits.allowNext() && window.isOutstanding()) {
            return false;
        }
        if (!message && !reads || reads && limits.maxReads() == 0 && opcode != Opcode.FLUSH.code()) {
            return refuse(sequence, WcStatus.LOC_QP_OP_ERR);
        }
        long length = bytesOf(sequence, opcode);
        if (length > MAX_MESSAGE) {
            return refuse(sequence, WcStatus.LOC_LEN_ERR);
        }
        boolean fetches = opcode == Opcode.RDMA_READ.code() || SendWindow.isAtomic(opcode);
        if (fetches && !packets.buffers(sequence).accept()) {
            return refuse(sequence, WcStatus.LOC_PROT_ERR); // before it is sent: nothing after it may be executed
        }
        boolean spreads = message || opcode == Opcode.RDMA_READ.code();
        window.begin(opcode, length, spreads ? Psn.packets(length, config.mtuBytes()) : 1);
        credits.begin();
        return true;
    }

    /** Whether a request takes no packet. */
    static boolean isLocal(int opcode) {
        return opcode == Opcode.LOCAL_INV.code() || opcode == Opcode.BIND_MW.code() || opcode == SendSource.NOTHING;
    }

    private long bytesOf(long sequence, int opcode) {
        if (opcode == Opcode.FLUSH.code()) {
            return 0;
        }
        boolean eight = SendWindow.isAtomic(opcode) || opcode == Opcode.ATOMIC_WRITE.code();
        return eight ? Long.BYTES : MessagePackets.length(source, sequence);
    }

    /** Ends a request without packets: nothing is outstanding before it. */
    private boolean executeLocal(long sequence, int opcode) {
        int status = opcode == SendSource.NOTHING ? 0 : source.executeLocal(sequence);
        if (status != 0) {
            connection.failSend(status);
            return false;
        }
        window.skip();
        if (!sink.sendEnded(sequence, 0, 0)) {
            connection.overflow();
            return false;
        }
        return true;
    }

    /** A request that cannot be sent: it fails once everything before it has ended. */
    private boolean refuse(long sequence, WcStatus status) {
        brokenSequence = sequence;
        brokenStatus = status.code();
        failIfOldest();
        return false;
    }

    /** Fails the request that cannot be sent, once it is the oldest. */
    void failIfOldest() {
        if (brokenSequence == window.oldest()) {
            brokenSequence = NOBODY;
            connection.failSend(brokenStatus);
        }
    }

    private boolean write(PacketWriter writer, long sequence, long now) {
        int psn = Psn.wire(window.cursor());
        int index = (int) (window.cursor() - window.first(sequence));
        int count = (int) (window.last(sequence) - window.first(sequence)) + 1;
        int opcode = window.opcode(sequence);
        int positions = 1;
        boolean ask = true;
        boolean written = true;
        if (opcode == Opcode.RDMA_READ.code()) {
            positions = count - index;
            read(writer, sequence, (long) index * config.mtuBytes(), psn);
        } else if (MessagePackets.isMessage(opcode)) {
            ask = index == count - 1 || silentPackets + 1 >= MAX_SILENT_PACKETS
                    || window.inFlight() + 1 >= limits.windowPackets();
            written = packets.write(writer, sequence, window.length(sequence), index, count, psn);
        } else {
            written = single(writer, sequence, opcode, psn);
        }
        if (!written) {
            return refuse(sequence, WcStatus.LOC_PROT_ERR);
        }
        writer.ackRequested(ask);
        silentPackets = ask ? 0 : silentPackets + 1;
        time(now);
        window.transmitted(positions);
        if (ask && limits.ackTimeoutNs() != 0 && !timers.isArmed(Timers.RETRANSMIT)) {
            timers.arm(Timers.RETRANSMIT, now + limits.ackTimeoutNs());
        }
        return true;
    }

    private void time(long now) {
        long position = window.cursor();
        if (position == window.sent()) {
            roundTrip.firstSent(position, now);
        }
        if (position == window.unanswered()) {
            roundTrip.oldestSent(now);
        }
    }

    /** Asks for what of a READ is still missing. */
    private void read(PacketWriter writer, long sequence, long offset, int psn) {
        writer.begin(PacketType.RC_READ_REQUEST, config.remoteQpNum(), psn);
        writer.reth(source.remoteAddress(sequence) + offset, source.rkey(sequence), window.length(sequence) - offset);
        writer.finish(0);
    }

    /** Writes a request of one packet that is answered by data. */
    private boolean single(PacketWriter writer, long sequence, int opcode, int psn) {
        long address = source.remoteAddress(sequence);
        int rkey = source.rkey(sequence);
        if (SendWindow.isAtomic(opcode)) {
            boolean swaps = opcode == Opcode.ATOMIC_CMP_AND_SWP.code();
            writer.begin(swaps ? PacketType.RC_COMPARE_SWAP : PacketType.RC_FETCH_ADD, config.remoteQpNum(), psn);
            long first = source.compareAdd(sequence);
            writer.atomic(address, rkey, swaps ? source.swap(sequence) : first, swaps ? first : 0);
            writer.finish(0);
        } else if (opcode == Opcode.FLUSH.code()) {
            writer.begin(PacketType.RC_FLUSH, config.remoteQpNum(), psn);
            writer.feth(FlushBits.of(source.imm(sequence), source.swap(sequence)));
            writer.reth(address, rkey, source.compareAdd(sequence));
            writer.finish(0);
        } else {
            writer.begin(PacketType.RC_ATOMIC_WRITE, config.remoteQpNum(), psn);
            writer.reth(address, rkey, Long.BYTES);
            if (!packets.buffers(sequence).gather(0, Long.BYTES, writer.payload())) {
                return false;
            }
            writer.finish(Long.BYTES);
        }
        return true;
    }
}
