package io.verbena.verbs;

/**
 * A reusable work completion (struct ibv_wc): polling fills it, the caller reads it, nothing is allocated. The values
 * stay until the next poll into the same object. Not thread-safe: use one for each polling thread.
 *
 * <p>When {@link #status()} is not {@link WcStatus#SUCCESS} only {@link #wrId()}, {@link #status()},
 * {@link #qpNum()} and {@link #vendorErr()} are meaningful.
 */
public final class WorkCompletion {
    private long wrId;
    private long byteLen;
    private int status;
    private int opcode;
    private int qpNum;
    private int srcQp;
    private int imm;
    private int flags;
    private int vendorErr;

    /** Makes an empty completion to be filled by polling. */
    public WorkCompletion() {}

    /**
     * Fills in what every completion has; for providers.
     *
     * @param wrId the work request's id
     * @param qpNum the local queue pair number
     * @param status code of a {@link WcStatus}
     * @param vendorErr the provider's own detail, 0 for none
     */
    public void setOutcome(long wrId, int qpNum, int status, int vendorErr) {
        this.wrId = wrId;
        this.qpNum = qpNum;
        this.status = status;
        this.vendorErr = vendorErr;
    }

    /**
     * Fills in what a successful completion has; for providers.
     *
     * @param opcode code of a {@link WcOpcode}
     * @param byteLen bytes moved
     * @param flags bits of {@link WcFlags}
     * @param imm immediate value or invalidated key, as the flags say
     * @param srcQp the sender's queue pair number (UD)
     */
    public void setDetail(int opcode, long byteLen, int flags, int imm, int srcQp) {
        this.opcode = opcode;
        this.byteLen = byteLen;
        this.flags = flags;
        this.imm = imm;
        this.srcQp = srcQp;
    }

    /**
     * The id that the work request was posted with.
     *
     * @return any value the poster chose
     */
    public long wrId() {
        return wrId;
    }

    /**
     * How the work request ended.
     *
     * @return never null
     */
    public WcStatus status() {
        return WcStatus.ofCode(status);
    }

    /**
     * The number of {@link #status()}, 0 for success; the cheapest test.
     *
     * @return 0 to 23
     */
    public int statusCode() {
        return status;
    }

    /**
     * Whether the work request succeeded.
     *
     * @return true for {@link WcStatus#SUCCESS}
     */
    public boolean isSuccess() {
        return status == 0;
    }

    /**
     * What was completed; valid on success only.
     *
     * @return the opcode
     */
    public WcOpcode opcode() {
        return WcOpcode.ofCode(opcode);
    }

    /**
     * The number of {@link #opcode()}; bit 7 is set for receives. Valid on success only.
     *
     * @return 0 to 129
     */
    public int opcodeCode() {
        return opcode;
    }

    /**
     * Bytes received, read or written; on UD receives the 40 bytes of the header area are counted. Valid on success.
     *
     * @return 0 to 2^31
     */
    public long byteLen() {
        return byteLen;
    }

    /**
     * The sender's immediate value as the int it posted; valid when {@link WcFlags#WITH_IMM} is set.
     *
     * @return 32 bits, carried unchanged
     */
    public int imm() {
        return imm;
    }

    /**
     * The own key that the sender invalidated; valid when {@link WcFlags#WITH_INV} is set.
     *
     * @return the key
     */
    public int invalidatedRkey() {
        return imm;
    }

    /**
     * Bits of {@link WcFlags}; valid on success.
     *
     * @return the bits
     */
    public int flags() {
        return flags;
    }

    /**
     * The local queue pair that the work request was posted to.
     *
     * @return a queue pair number, 24 bits
     */
    public int qpNum() {
        return qpNum;
    }

    /**
     * The sender's queue pair number; valid for UD receives.
     *
     * @return a queue pair number, 24 bits
     */
    public int srcQp() {
        return srcQp;
    }

    /**
     * The provider's own detail of a failure.
     *
     * @return 0 when there is none
     */
    public int vendorErr() {
        return vendorErr;
    }

    @Override
    public String toString() {
        String head = String.format("wrId=%d qp=0x%06x %s", wrId, qpNum, status());
        if (!isSuccess()) {
            return head + " (" + status().text() + ": " + status().advice() + ") vendorErr=" + vendorErr;
        }
        StringBuilder text = new StringBuilder(head).append(' ').append(opcode()).append(" byteLen=").append(byteLen);
        if ((flags & WcFlags.WITH_IMM) != 0) {
            text.append(" imm=0x").append(Integer.toHexString(imm));
        }
        if ((flags & WcFlags.WITH_INV) != 0) {
            text.append(String.format(" invalidatedRkey=0x%08x", imm));
        }
        if ((flags & WcFlags.GRH) != 0) {
            text.append(String.format(" srcQp=0x%06x GRH", srcQp));
        }
        return text.toString();
    }
}
