package io.verbena.async.memory;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Reports what was collected without having been closed, with the stack that made it. It only reports: a segment that
 * was taken of the memory may still be in use, so the memory stays taken until its node closes. Safe from any thread.
 */
public final class LeakCheck {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final System.Logger LOG = System.getLogger("io.verbena");

    private final Consumer<String> report;
    private final AtomicLong leaks = new AtomicLong();

    /** Makes a check that logs warnings to {@code io.verbena}. */
    public LeakCheck() {
        this(text -> LOG.log(System.Logger.Level.WARNING, text));
    }

    LeakCheck(Consumer<String> report) {
        this.report = report;
    }

    /**
     * Watches an object from now on.
     *
     * @param watched the object; nothing that lives longer may refer to it
     * @param what what to call it, without a reference to it
     * @return to be closed when the object is
     */
    public Watch watch(Object watched, String what) {
        Watch watch = new Watch(this, what, new Throwable("made here"));
        watch.cleanable = CLEANER.register(watched, watch::found);
        return watch;
    }

    /**
     * How many leaks there were.
     *
     * @return objects collected without close
     */
    public long leaks() {
        return leaks.get();
    }

    /** One object that is watched. */
    public static final class Watch implements AutoCloseable {
        private final LeakCheck check;
        private final String what;
        private final Throwable made;
        private final AtomicBoolean over = new AtomicBoolean();
        private Cleaner.Cleanable cleanable;

        private Watch(LeakCheck check, String what, Throwable made) {
            this.check = check;
            this.what = what;
            this.made = made;
        }

        private void found() {
            if (over.compareAndSet(false, true)) {
                check.leaks.incrementAndGet();
                StringWriter text = new StringWriter();
                text.append(what).append(" was lost without close(), so it stays taken until its node closes; ");
                made.printStackTrace(new PrintWriter(text, true));
                check.report.accept(text.toString());
            }
        }

        /** The object was closed. */
        @Override
        public void close() {
            if (over.compareAndSet(false, true)) {
                cleanable.clean();
            }
        }
    }
}
