package io.verbena;

import io.verbena.async.memory.Loans;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A message of the peer, where it was received. {@link #close} lets the peer send another one in its place: as long
 * as a message is not closed its memory stays as it is, and the peer has one message less to send. Safe from any
 * thread.
 */
public final class ReceivedMessage implements AutoCloseable {
    private static final VarHandle OPEN;

    static {
        try {
            OPEN = MethodHandles.lookup().findVarHandle(ReceivedMessage.class, "open", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Frames frames;
    private final int slot;
    private LocalMemory memory;
    private MemorySegment base;
    private long offset;
    private long length;
    private int imm;
    private boolean hasImm;
    private boolean ready;
    private boolean lent;
    /** Whether a handler has it, which closes it by returning. */
    private boolean handed;
    private volatile boolean open;

    ReceivedMessage(Frames frames, int slot) {
        this.frames = frames;
        this.slot = slot;
    }

    /** Makes it the message that lies in the memory; done again for every message of a handler's. */
    ReceivedMessage fill(LocalMemory newMemory, MemorySegment newBase, long newOffset, long newLength) {
        memory = newMemory;
        base = newBase;
        offset = newOffset;
        length = newLength;
        hasImm = false;
        ready = true;
        lent = false;
        open = true;
        return this;
    }

    ReceivedMessage imm(boolean has, int value) {
        hasImm = has;
        imm = value;
        return this;
    }

    /** Whether all of it is here. */
    boolean isReady() {
        return ready;
    }

    int slot() {
        return slot;
    }

    LocalMemory memory() {
        return memory;
    }

    /**
     * How long the message is.
     *
     * @return bytes, exactly as sent: 0 or more
     */
    public long length() {
        return length;
    }

    /**
     * Whether immediate data came with it.
     *
     * @return true when {@link #immediate()} means something
     */
    public boolean hasImmediate() {
        return hasImm;
    }

    /**
     * The immediate data.
     *
     * @return 32 bits as the sender gave them; 0 when there are none
     */
    public int immediate() {
        return imm;
    }

    /**
     * The bytes of the message.
     *
     * @return a read-only segment of exactly its length, until {@link #close}
     * @throws IllegalStateException when it is closed
     */
    public MemorySegment segment() {
        requireOpen();
        return base.asSlice(offset, length).asReadOnly();
    }

    /**
     * Where the message lies, for who wants to read it without allocating: from {@link #offset()} on in this segment.
     *
     * @return a segment that holds more than the message; not to be written
     * @throws IllegalStateException when the message is closed
     */
    public MemorySegment base() {
        requireOpen();
        return base;
    }

    /**
     * Where the message begins in {@link #base()}.
     *
     * @return bytes
     */
    public long offset() {
        return offset;
    }

    /**
     * A copy of the bytes.
     *
     * @return a new array
     * @throws IllegalStateException when it is closed, or longer than an array can be
     */
    public byte[] toArray() {
        return segment().toArray(ValueLayout.JAVA_BYTE);
    }

    /** Keeps its memory until it is closed, even when the connection is closed before. */
    void lend() {
        if (!lent) {
            memory.loans().acquireCounted(false);
            lent = true;
        }
    }

    /** The same as an object of its own, for whoever keeps it: this one becomes another message. */
    ReceivedMessage moved() {
        ReceivedMessage own = new ReceivedMessage(frames, slot).fill(memory, base, offset, length).imm(hasImm, imm);
        own.lent = lent;
        lent = false;
        open = false;
        return own;
    }

    /** Ends {@link #lend}, if that was called. */
    void giveBack() {
        if (lent) {
            lent = false;
            memory.loans().release(Loans.COUNTED);
        }
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException("the message is closed; read it before, or copy it");
        }
    }

    /**
     * A handler gets it. Closing it does nothing until {@link #takeBack}: else the next message could be in this object
     * before the handler returns, and be closed in the place of this one.
     */
    void hand() {
        handed = true;
    }

    /** The handler has returned: closes it. */
    void takeBack() {
        handed = false;
        close();
    }

    /**
     * Lets the peer send another message in its place. Closing twice does nothing, and neither does closing what a
     * {@link MessageHandler} was called with: it is closed when that returns.
     */
    @Override
    public void close() {
        if (!handed && (boolean) OPEN.getAndSet(this, false)) {
            frames.release(this);
        }
    }

    @Override
    public String toString() {
        return "message of " + length + " bytes" + (hasImm ? ", immediate 0x" + Integer.toHexString(imm) : "")
                + (open ? "" : ", closed");
    }
}
