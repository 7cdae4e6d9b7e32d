package io.verbena.verbs.tck.peer;

import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** A work request as plain values, for either queue; receives use id and buffers only. */
public final class WorkSpec implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final int NONE = -1;

    /**
     * A local buffer.
     *
     * @param address its first byte
     * @param length bytes
     * @param lkey its key
     */
    public record Sge(long address, long length, int lkey) implements Serializable {}

    private final long wrId;
    private final Opcode opcode;
    private int flags = SendFlags.SIGNALED;
    private final ArrayList<Sge> sges = new ArrayList<>();
    private long remoteAddress;
    private int rkey;
    private int imm;
    private long compareAdd;
    private long swap;
    private int window = NONE;
    private int region = NONE;
    private int handle = -1;
    private int remoteQpn;
    private int remoteQkey;

    private WorkSpec(long wrId, Opcode opcode) {
        this.wrId = wrId;
        this.opcode = opcode;
    }

    /**
     * A receive.
     *
     * @param wrId its id
     * @return a specification without buffers
     */
    public static WorkSpec receive(long wrId) {
        return new WorkSpec(wrId, null);
    }

    /**
     * A send of any kind, signalled.
     *
     * @param wrId its id
     * @param opcode what to do
     * @return a specification without buffers
     */
    public static WorkSpec send(long wrId, Opcode opcode) {
        return new WorkSpec(wrId, opcode);
    }

    /**
     * Adds a local buffer.
     *
     * @param address its first byte
     * @param length bytes
     * @param lkey its key
     * @return this
     */
    public WorkSpec sge(long address, long length, int lkey) {
        sges.add(new Sge(address, length, lkey));
        return this;
    }

    /**
     * Sets the flags.
     *
     * @param value bits of SendFlags
     * @return this
     */
    public WorkSpec flags(int value) {
        flags = value;
        return this;
    }

    /**
     * Names the memory at the other side.
     *
     * @param address its first byte
     * @param key its remote key
     * @return this
     */
    public WorkSpec remote(long address, int key) {
        remoteAddress = address;
        rkey = key;
        return this;
    }

    /**
     * Sets the immediate value.
     *
     * @param value 32 bits
     * @return this
     */
    public WorkSpec imm(int value) {
        imm = value;
        return this;
    }

    /**
     * Sets the operands of an atomic.
     *
     * @param first compare operand or addend
     * @param second swap operand, ignored by FETCH_AND_ADD
     * @return this
     */
    public WorkSpec operands(long first, long second) {
        compareAdd = first;
        swap = second;
        return this;
    }

    /**
     * Says what is bound.
     *
     * @param windowHandle the window
     * @param key its low 8 bits are the window's choice
     * @param regionHandle the region; -1 for none
     * @param address first byte
     * @param length bytes
     * @param access rights
     * @return this
     */
    public WorkSpec bind(int windowHandle, int key, int regionHandle, long address, long length, int access) {
        window = windowHandle;
        region = regionHandle;
        return remote(address, key).operands(length, 0).imm(access);
    }

    /**
     * Names the key that is invalidated.
     *
     * @param key the window's key
     * @return this
     */
    public WorkSpec invalidate(int key) {
        rkey = key;
        return this;
    }

    /**
     * Names the receiver of a datagram.
     *
     * @param way number of the address handle
     * @param qpNum the receiver's queue pair number
     * @param qkey the receiver's queue key
     * @return this
     */
    public WorkSpec to(int way, int qpNum, int qkey) {
        handle = way;
        remoteQpn = qpNum;
        remoteQkey = qkey;
        return this;
    }

    /**
     * Says how much is flushed and where to.
     *
     * @param length bytes of a range
     * @param placement see FlushType
     * @param selectivity see FlushType
     * @return this
     */
    public WorkSpec flush(long length, int placement, int selectivity) {
        return operands(length, selectivity).imm(placement);
    }

    /**
     * Posts the bind of a type 1 window that this specifies.
     *
     * @param qp where
     * @param objects finds what a handle names
     * @return a code of PostStatus
     */
    int bindTypeOne(QueuePair qp, IntFunction<Object> objects) {
        return ((MemoryWindow) objects.apply(window)).bind(qp, wrId, region(objects), remoteAddress, compareAdd, imm,
                flags);
    }

    private MemoryRegion region(IntFunction<Object> objects) {
        return region == NONE ? null : (MemoryRegion) objects.apply(region);
    }

    /**
     * Whether a receiver is named.
     *
     * @return false before {@link #to}
     */
    public boolean isAddressed() {
        return handle >= 0;
    }

    /**
     * The id.
     *
     * @return as given
     */
    public long wrId() {
        return wrId;
    }

    /**
     * Builds the list that posts sends, none of which binds a window.
     *
     * @param specs the work requests
     * @return a new list
     */
    public static SendRequests sends(List<WorkSpec> specs) {
        return sends(specs, handle -> null);
    }

    /**
     * Builds the list that posts sends.
     *
     * @param specs the work requests
     * @param objects finds the window, region or address handle that a handle names
     * @return a new list
     */
    public static SendRequests sends(List<WorkSpec> specs, IntFunction<Object> objects) {
        SendRequests requests = new SendRequests(Math.max(1, specs.size()), mostSges(specs));
        for (WorkSpec spec : specs) {
            requests.add(spec.wrId, spec.opcode, spec.flags).remote(spec.remoteAddress, spec.rkey).imm(spec.imm);
            switch (spec.opcode) {
                case ATOMIC_CMP_AND_SWP -> requests.compareAndSwap(spec.compareAdd, spec.swap);
                case BIND_MW -> requests.bind((MemoryWindow) objects.apply(spec.window), spec.rkey,
                        spec.region(objects), spec.remoteAddress, spec.compareAdd, spec.imm);
                case FLUSH -> requests.flush(spec.compareAdd, spec.imm, (int) spec.swap);
                case LOCAL_INV, SEND_WITH_INV -> requests.invalidate(spec.rkey);
                default -> requests.fetchAndAdd(spec.compareAdd);
            }
            if (spec.isAddressed()) {
                requests.to((AddressHandle) objects.apply(spec.handle), spec.remoteQpn, spec.remoteQkey);
            }
            spec.sges.forEach(sge -> requests.sge(sge.address, sge.length, sge.lkey));
        }
        return requests;
    }

    /**
     * Builds the list that posts receives.
     *
     * @param specs the work requests
     * @return a new list
     */
    public static ReceiveRequests receives(List<WorkSpec> specs) {
        ReceiveRequests requests = new ReceiveRequests(Math.max(1, specs.size()), mostSges(specs));
        for (WorkSpec spec : specs) {
            requests.add(spec.wrId);
            spec.sges.forEach(sge -> requests.sge(sge.address, sge.length, sge.lkey));
        }
        return requests;
    }

    private static int mostSges(List<WorkSpec> specs) {
        return specs.stream().mapToInt(spec -> spec.sges.size()).max().orElse(0);
    }
}
