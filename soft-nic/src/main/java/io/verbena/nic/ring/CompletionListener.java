package io.verbena.nic.ring;

/** What a completion queue's rings tell its control plane; called by any thread, must not block. */
public interface CompletionListener {
    /** For rings that nobody polls and that hold nothing. */
    CompletionListener NOBODY = new CompletionListener() {
        @Override
        public void completionEvent() {
            // Nobody polls this queue.
        }

        @Override
        public void overflowed() {
            // It holds nothing.
        }
    };

    /** An armed queue got a matching completion. */
    void completionEvent();

    /** A completion did not fit and was lost. */
    void overflowed();
}
