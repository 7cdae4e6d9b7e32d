package io.verbena;

import io.verbena.async.memory.MonotonicClock;
import io.verbena.verbs.Access;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * Memory of a peer that operations can reach, as long as its lease lasts; or a slice of it. Immutable. It owns nothing:
 * the peer decides when it ends, by its own clock. This side's idea of the end is never later, when it begins with the
 * time of the request that led to it.
 */
public final class RemoteMemory {
    /** Size of {@link #toBytes}. */
    public static final int TOKEN_BYTES = 44;

    private static final int MAGIC = 0x56524D31;

    private final long address;
    private final long length;
    private final int rkey;
    private final int rights;
    private final long deadline;
    private final long leaseId;

    RemoteMemory(long address, long length, int rkey, int rights, long deadline, long leaseId) {
        this.address = address;
        this.length = length;
        this.rkey = rkey;
        this.rights = rights;
        this.deadline = deadline;
        this.leaseId = leaseId;
    }

    /**
     * Describes memory that was learned of in some other way, without a lease.
     *
     * @param address what the peer calls the first byte
     * @param length bytes, 0 or more; its end must not pass 2^64
     * @param rkey the key that the peer's region gave
     * @param rights what the peer allows, some of REMOTE_READ, REMOTE_WRITE and REMOTE_ATOMIC
     * @return that memory
     * @throws IllegalArgumentException for other values
     */
    public static RemoteMemory of(long address, long length, int rkey, int rights) {
        check(address, length, rights);
        return new RemoteMemory(address, length, rkey, rights, MonotonicClock.NEVER, 0);
    }

    /**
     * Reads a token. What is left of its lease is counted from now, which is later than the peer began to count; who
     * asked the peer for it uses {@link #of(byte[], long)}.
     *
     * @param token what {@link #toBytes} made
     * @return the memory it describes
     * @throws IllegalArgumentException when it is no such token
     */
    public static RemoteMemory of(byte[] token) {
        return of(token, System.nanoTime());
    }

    /**
     * Reads a token that was asked for, so that the lease never seems longer here than it is for the peer.
     *
     * @param token what {@link #toBytes} made
     * @param requested when it was asked for, by {@link System#nanoTime}
     * @return the memory it describes
     * @throws IllegalArgumentException when it is no such token
     */
    public static RemoteMemory of(byte[] token, long requested) {
        if (token.length != TOKEN_BYTES) {
            throw new IllegalArgumentException("the token has " + token.length + " bytes; allowed: " + TOKEN_BYTES);
        }
        ByteBuffer bytes = ByteBuffer.wrap(token);
        if (bytes.getInt() != MAGIC) {
            throw new IllegalArgumentException("the token does not begin with 0x" + Integer.toHexString(MAGIC)
                    + ", so it is not one of RemoteMemory.toBytes() of this version");
        }
        int rights = bytes.getInt();
        long address = bytes.getLong();
        long length = bytes.getLong();
        int rkey = bytes.getInt();
        long leaseId = bytes.getLong();
        long left = bytes.getLong();
        check(address, length, rights);
        if (left < 0) {
            throw new IllegalArgumentException("the token's lease lasts " + left + " ns; allowed: 0 or more");
        }
        // Negative when it was asked for before this clock began, which is no fault.
        long since = MonotonicClock.nanos() - (System.nanoTime() - requested);
        return new RemoteMemory(address, length, rkey, rights, MonotonicClock.end(since, left), leaseId);
    }

    private static void check(long address, long length, int rights) {
        if (length < 0 || length > 0 && Long.compareUnsigned(address, address + length - 1) > 0) {
            throw new IllegalArgumentException("length is " + length + " at address 0x" + Long.toHexString(address)
                    + "; allowed: 0 or more, ending below 2^64");
        }
        if ((rights & ~AllocationOptions.REMOTE) != 0) {
            throw new IllegalArgumentException("rights are " + Access.toString(rights) + "; allowed: some of "
                    + Access.toString(AllocationOptions.REMOTE));
        }
    }

    static Duration remaining(long deadline) {
        return Duration.ofNanos(deadline == MonotonicClock.NEVER
                ? Long.MAX_VALUE : Math.max(0, deadline - MonotonicClock.nanos()));
    }

    /**
     * Describes it for whoever may reach it, with what is left of the lease now. Who has these bytes and a connection
     * to the peer's node can use them: treat them as a secret.
     *
     * @return {@value #TOKEN_BYTES} bytes, for {@link #of(byte[])}
     */
    public byte[] toBytes() {
        long left = deadline == MonotonicClock.NEVER ? Long.MAX_VALUE : Math.max(0, deadline - MonotonicClock.nanos());
        return ByteBuffer.allocate(TOKEN_BYTES).putInt(MAGIC).putInt(rights).putLong(address).putLong(length)
                .putInt(rkey).putLong(leaseId).putLong(left).array();
    }

    /**
     * Where it is.
     *
     * @return what the peer calls the first byte
     */
    public long address() {
        return address;
    }

    /**
     * How long it is.
     *
     * @return bytes, 0 or more
     */
    public long length() {
        return length;
    }

    /**
     * The key to present.
     *
     * @return 32 bits
     */
    public int rkey() {
        return rkey;
    }

    /**
     * What the peer allows.
     *
     * @return some of REMOTE_READ, REMOTE_WRITE and REMOTE_ATOMIC
     */
    public int rights() {
        return rights;
    }

    /**
     * A part of it.
     *
     * @param from first byte, 0 or more
     * @param partLength bytes, 0 or more
     * @return the part, under the same lease
     * @throws IndexOutOfBoundsException when it is not within this
     */
    public RemoteMemory slice(long from, long partLength) {
        if (from < 0 || partLength < 0 || partLength > length - from) {
            throw new IndexOutOfBoundsException(partLength + " bytes from " + from + " on are not within " + this);
        }
        return new RemoteMemory(address + from, partLength, rkey, rights, deadline, leaseId);
    }

    /** The same under a lease that ends at another time, by {@link MonotonicClock}. */
    RemoteMemory withDeadline(long newDeadline) {
        return new RemoteMemory(address, length, rkey, rights, newDeadline, leaseId);
    }

    /** When its lease ends on this side, by {@link MonotonicClock}; {@link MonotonicClock#NEVER} without one. */
    long deadline() {
        return deadline;
    }

    /** Why an operation that needs a right is refused, as a code of {@link OperationStatus}; SUCCESS when it is not. */
    int refusal(int right) {
        if ((rights & right) == 0) {
            return OperationStatus.NO_RIGHT;
        }
        return isExpired() ? OperationStatus.EXPIRED : OperationStatus.SUCCESS;
    }

    /** The number of its lease at the peer, 0 when it has none that this side may end or renew. */
    long leaseId() {
        return leaseId;
    }

    /**
     * Whether its lease is over by this side's clock; operations on it are then refused.
     *
     * @return false before, and always without a lease
     */
    public boolean isExpired() {
        return deadline != MonotonicClock.NEVER && deadline <= MonotonicClock.nanos();
    }

    /**
     * How long its lease lasts by this side's clock.
     *
     * @return what is left, 0 or more; {@link Long#MAX_VALUE} nanoseconds, 292 years, without a lease
     */
    public Duration remaining() {
        return remaining(deadline);
    }

    @Override
    public String toString() {
        return "remote memory of " + length + " bytes at 0x" + Long.toHexString(address);
    }
}
