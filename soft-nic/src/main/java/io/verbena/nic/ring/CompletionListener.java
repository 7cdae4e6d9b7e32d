package io.verbena.nic.ring;

/** What a completion queue's rings tell its control plane; called by any thread, must not block. */
public interface CompletionListener {
    /** An armed queue got a matching completion. */
    void completionEvent();

    /** A completion did not fit and was lost. */
    void overflowed();
}
