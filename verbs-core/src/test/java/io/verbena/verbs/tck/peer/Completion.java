package io.verbena.verbs.tck.peer;

import io.verbena.verbs.WcOpcode;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.WorkCompletion;
import java.io.Serializable;

/**
 * A work completion as a plain record; what is valid on success only is zero or null after a failure.
 *
 * @param wrId the work request's id
 * @param qpNum the queue pair
 * @param status how it ended
 * @param opcode what was completed
 * @param byteLen bytes moved
 * @param flags bits of WcFlags
 * @param sent what only the sender knew
 */
public record Completion(long wrId, int qpNum, WcStatus status, WcOpcode opcode, long byteLen, int flags, Sent sent)
        implements Serializable {
    /**
     * What comes with a message.
     *
     * @param imm the immediate value
     * @param srcQp the sender's queue pair number (UD)
     */
    public record Sent(int imm, int srcQp) implements Serializable {}

    /**
     * Copies a completion just polled.
     *
     * @param polled the reusable object
     * @return its values
     */
    public static Completion of(WorkCompletion polled) {
        if (!polled.isSuccess()) {
            return new Completion(polled.wrId(), polled.qpNum(), polled.status(), null, 0, 0, new Sent(0, 0));
        }
        return new Completion(polled.wrId(), polled.qpNum(), polled.status(), polled.opcode(), polled.byteLen(),
                polled.flags(), new Sent(polled.imm(), polled.srcQp()));
    }

    /**
     * The immediate value.
     *
     * @return 32 bits
     */
    public int imm() {
        return sent.imm();
    }

    /**
     * The sender's queue pair number (UD).
     *
     * @return 24 bits
     */
    public int srcQp() {
        return sent.srcQp();
    }
}
