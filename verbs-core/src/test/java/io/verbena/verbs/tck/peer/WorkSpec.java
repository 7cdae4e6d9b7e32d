package io.verbena.verbs.tck.peer;

import io.verbena.verbs.Opcode;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.SendFlags;
import io.verbena.verbs.SendRequests;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/** A work request as plain values, for either queue; receives use id and buffers only. */
public final class WorkSpec implements Serializable {
    private static final long serialVersionUID = 1L;

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
     * The id.
     *
     * @return as given
     */
    public long wrId() {
        return wrId;
    }

    /**
     * Builds the list that posts sends.
     *
     * @param specs the work requests
     * @return a new list
     */
    public static SendRequests sends(List<WorkSpec> specs) {
        SendRequests requests = new SendRequests(Math.max(1, specs.size()), mostSges(specs));
        for (WorkSpec spec : specs) {
            requests.add(spec.wrId, spec.opcode, spec.flags).remote(spec.remoteAddress, spec.rkey).imm(spec.imm);
            if (spec.opcode == Opcode.ATOMIC_CMP_AND_SWP) {
                requests.compareAndSwap(spec.compareAdd, spec.swap);
            } else {
                requests.fetchAndAdd(spec.compareAdd);
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
