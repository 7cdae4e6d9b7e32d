package io.verbena.cli.shell;

import io.verbena.verbs.Access;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AllocatedMemory;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * One end of a connection for trying things out: a queue pair, its completion queue with a channel, and a page of
 * registered memory. Offsets count from the start of that memory; they are not checked here, so that one can see what
 * the device says. Every send is signalled, and work request ids count from 1. Not thread-safe.
 */
public final class End implements AutoCloseable {
    private static final long BYTES = 4096;
    private static final int DEPTH = 16;
    private static final int MAX_SGE = 4;
    private static final int INLINE_BYTES = 64;
    private static final int ATOMIC_BYTES = 8;

    /** What it is called. */
    public final String name;
    /** Where completion events come. */
    public final CompletionChannel channel;
    /** Where its sends and receives complete. */
    public final CompletionQueue cq;
    /** Its queue pair. */
    public final QueuePair qp;
    /** Its memory, all of it registered. */
    public final MemorySegment buffer;
    /** Its memory as the device knows it: open to the peer for everything. */
    public final MemoryRegion mr;

    private final AllocatedMemory memory;
    private final SendRequests requests = new SendRequests(1, 1);
    private End peer;
    private AddressHandle wayToPeer;
    private long nextWrId = 1;

    /**
     * Makes an end whose queue pair is in RESET.
     *
     * @param name what it is called
     * @param pd the protection domain to make it in
     * @param type the transport service
     */
    public End(String name, ProtectionDomain pd, QueuePairType type) {
        this.name = name;
        channel = pd.context().createCompletionChannel();
        cq = pd.context().createCompletionQueue(CompletionQueueConfig.of(4 * DEPTH).withChannel(channel));
        memory = pd.context().allocateMemory(BYTES, BYTES);
        buffer = memory.segment();
        mr = pd.register(buffer, Access.LOCAL_WRITE | Wiring.PEER_MAY);
        QueuePairCapabilities sizes = new QueuePairCapabilities(DEPTH, DEPTH, MAX_SGE, MAX_SGE, INLINE_BYTES);
        qp = pd.createQueuePair(QueuePairConfig.rc(cq, sizes).withType(type));
    }

    /** Connects two ends, from whatever state they are in. */
    static void connect(End first, End second) {
        Wiring.reset(first.qp);
        Wiring.reset(second.qp);
        first.forgetPeer();
        second.forgetPeer();
        Wiring.connect(first.qp, second.qp);
        first.peer = second;
        second.peer = first;
    }

    private void forgetPeer() {
        peer = null;
        if (wayToPeer != null) {
            wayToPeer.close();
            wayToPeer = null;
        }
    }

    /**
     * The end it was connected with last.
     *
     * @return never null
     * @throws VerbsException EINVAL when it was never connected
     */
    public End peer() {
        if (peer == null) {
            throw new VerbsException(Errno.EINVAL, "peer",
                    name + " has no peer; call connect(" + name + ", other) first");
        }
        return peer;
    }

    // Memory

    /**
     * Writes text and a zero byte into its memory.
     *
     * @param offset where
     * @param text kept as UTF-8
     * @throws VerbsException EINVAL when they do not fit, and nothing is written
     */
    public void put(long offset, String text) {
        if (text == null) {
            throw VerbsException.invalid("text", null, "a string");
        }
        checkOffset(offset, 1);
        long needed = text.getBytes(StandardCharsets.UTF_8).length + 1L;
        if (needed > BYTES - offset) {
            throw VerbsException.invalid("text", needed + " bytes with the zero byte at its end",
                    "up to " + (BYTES - offset) + " from offset " + offset + ", since " + name + " has " + BYTES
                    + " bytes of memory");
        }
        buffer.setString(offset, text);
    }

    /**
     * Reads text from its memory.
     *
     * @param offset where
     * @return UTF-8 up to the next zero byte, or else to the end of the memory
     * @throws VerbsException EINVAL for an offset outside of its memory
     */
    public String text(long offset) {
        checkOffset(offset, 1);
        long end = offset;
        while (end < BYTES && buffer.get(ValueLayout.JAVA_BYTE, end) != 0) {
            end++;
        }
        byte[] bytes = buffer.asSlice(offset, end - offset).toArray(ValueLayout.JAVA_BYTE);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Writes 8 bytes into its memory, in the byte order of the host.
     *
     * @param offset where
     * @param value the bytes
     * @throws VerbsException EINVAL when they do not fit
     */
    public void putLong(long offset, long value) {
        checkOffset(offset, Long.BYTES);
        buffer.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, value);
    }

    /**
     * Reads 8 bytes from its memory, in the byte order of the host.
     *
     * @param offset where
     * @return the bytes
     * @throws VerbsException EINVAL when there are not so many
     */
    public long getLong(long offset) {
        checkOffset(offset, Long.BYTES);
        return buffer.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    private void checkOffset(long offset, int bytes) {
        if (offset < 0 || offset > BYTES - bytes) {
            throw VerbsException.invalid("offset", offset, "0 to " + (BYTES - bytes) + " in the memory of " + name);
        }
    }

    // Work requests

    /**
     * Sends bytes of its memory as a message.
     *
     * @param offset where they are
     * @param length how many
     * @return whether it was posted
     */
    public Posted send(long offset, long length) {
        return post(begin(Opcode.SEND, offset, length));
    }

    /**
     * Sends bytes of its memory and an immediate value as a message.
     *
     * @param offset where they are
     * @param length how many
     * @param imm 32 bits for the receiver's completion
     * @return whether it was posted
     */
    public Posted sendImm(long offset, long length, int imm) {
        return post(begin(Opcode.SEND_WITH_IMM, offset, length).imm(imm));
    }

    /**
     * Offers a part of its memory to the next message that comes. On UD the first 40 bytes are the packet's header.
     *
     * @param offset where it is
     * @param length how many bytes
     * @return whether it was posted
     */
    public Posted receive(long offset, long length) {
        long wrId = nextWrId++;
        return new Posted(wrId, qp.postReceive(wrId, mr.address() + offset, length, mr.lkey()));
    }

    /**
     * Writes bytes of its memory into the peer's.
     *
     * @param offset where they are
     * @param length how many
     * @param peerOffset where they go
     * @return whether it was posted
     */
    public Posted write(long offset, long length, long peerOffset) {
        return post(beginRemote(Opcode.RDMA_WRITE, offset, length, peerOffset));
    }

    /**
     * Writes bytes of its memory into the peer's and completes one of the peer's receives.
     *
     * @param offset where they are
     * @param length how many
     * @param peerOffset where they go
     * @param imm 32 bits for the peer's completion
     * @return whether it was posted
     */
    public Posted writeImm(long offset, long length, long peerOffset, int imm) {
        return post(beginRemote(Opcode.RDMA_WRITE_WITH_IMM, offset, length, peerOffset).imm(imm));
    }

    /**
     * Reads bytes of the peer's memory into its own.
     *
     * @param offset where they go
     * @param length how many
     * @param peerOffset where they are
     * @return whether it was posted
     */
    public Posted read(long offset, long length, long peerOffset) {
        return post(beginRemote(Opcode.RDMA_READ, offset, length, peerOffset));
    }

    /**
     * Adds to 8 bytes of the peer's memory.
     *
     * @param offset where the prior value goes
     * @param peerOffset the 8 bytes, a multiple of 8
     * @param add added modulo 2^64
     * @return whether it was posted
     */
    public Posted fetchAndAdd(long offset, long peerOffset, long add) {
        return post(beginRemote(Opcode.ATOMIC_FETCH_AND_ADD, offset, ATOMIC_BYTES, peerOffset).fetchAndAdd(add));
    }

    /**
     * Replaces 8 bytes of the peer's memory if they are as expected.
     *
     * @param offset where the prior value goes
     * @param peerOffset the 8 bytes, a multiple of 8
     * @param expected replaced only if they equal this
     * @param swap the new value
     * @return whether it was posted
     */
    public Posted compareAndSwap(long offset, long peerOffset, long expected, long swap) {
        return post(beginRemote(Opcode.ATOMIC_CMP_AND_SWP, offset, ATOMIC_BYTES, peerOffset)
                .compareAndSwap(expected, swap));
    }

    private SendRequests begin(Opcode opcode, long offset, long length) {
        requests.clear().add(nextWrId++, opcode, SendFlags.SIGNALED).sge(mr.address() + offset, length, mr.lkey());
        if (qp.type() == QueuePairType.UD) {
            requests.to(wayToPeer(), peer().qp.qpNum(), Wiring.QKEY);
        }
        return requests;
    }

    private AddressHandle wayToPeer() {
        if (wayToPeer == null) {
            wayToPeer = qp.protectionDomain().createAddressHandle(Wiring.vector(qp, peer().qp));
        }
        return wayToPeer;
    }

    private SendRequests beginRemote(Opcode opcode, long offset, long length, long peerOffset) {
        MemoryRegion target = peer().mr;
        return begin(opcode, offset, length).remote(target.address() + peerOffset, target.rkey());
    }

    private Posted post(SendRequests list) {
        return new Posted(list.wrId(0), qp.postSend(list));
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "end %s: %s queue pair 0x%06x in %s, %d bytes of memory", name, qp.type(),
                qp.qpNum(), qp.state(), mr.length());
    }

    /** Destroys everything that belongs to it; an end connected with it must not send any more. */
    @Override
    public void close() {
        qp.close();
        forgetPeer();
        mr.close();
        memory.close();
        cq.close();
        channel.close();
    }
}
