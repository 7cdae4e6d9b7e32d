package io.verbena.nic.direct;

import io.verbena.verbs.RouteHeader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What a datagram says besides its payload; filled anew for every one. */
public final class Datagram {
    /** The header that the receiver sees first; {@link RouteHeader#BYTES} long. */
    public final MemorySegment header = Arena.ofAuto().allocate(RouteHeader.BYTES, Long.BYTES);
    /** The queue pair that it is for. */
    public int qpNum;
    /** The queue key that it shows. */
    public int qkey;
    /** The queue pair that sends it. */
    public int sourceQpNum;
    /** Its immediate value. */
    public int imm;
    /** Whether it has an immediate value. */
    public boolean withImm;
    /** Whether to wake a receiver that waits for solicited completions. */
    public boolean solicited;
    /** Whether it is for the members of a group. */
    public boolean multicast;
    /** Bytes of its payload. */
    public long length;
}
