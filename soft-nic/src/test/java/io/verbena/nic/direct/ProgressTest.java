package io.verbena.nic.direct;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** What is said about queue pairs that fail while they are driven. */
class ProgressTest {
    private static final int PAIRS = 200;

    private final Logger logger = Logger.getLogger("io.verbena.nic");
    private final List<LogRecord> said = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            if (entry.getMessage().contains("goes on without queue pair")) {
                said.add(entry);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    /** What executes requests, and fails. */
    private static final class Failing implements Outlet {
        @Override
        public void ring() {}

        @Override
        public boolean advance() {
            throw new IllegalStateException("a fault of a test");
        }

        @Override
        public void apply(Path path, QueuePairState from, QueuePairState to) {}

        @Override
        public void reset() {}

        @Override
        public boolean isDraining() {
            return false;
        }
    }

    @Test
    void manyQueuePairsThatFailAtOnceAreNotAllLogged() {
        logger.addHandler(handler);
        logger.setUseParentHandlers(false);
        List<QueuePair> pairs = new ArrayList<>();
        long start = System.nanoTime();
        try (Context context = Devices.open("soft5?counters=off");
                ProtectionDomain pd = context.allocateProtectionDomain();
                CompletionQueue cq = context.createCompletionQueue(CompletionQueueConfig.of(16))) {
            for (int i = 0; i < PAIRS; i++) {
                QueuePair qp = pd.createQueuePair(QueuePairConfig.rc(cq, QueuePairCapabilities.ofDepth(4)));
                pairs.add(qp);
                Fabric.LOCAL.find(context.queryGid(1, 0).gid(), qp.qpNum()).outlet(new Failing());
                qp.modify(QueuePairAttributes.init(1, 0));
                cq.poll(new WorkCompletion());
                assertEquals(QueuePairState.ERR, qp.query().state());
            }
            long seconds = (System.nanoTime() - start) / 1_000_000_000;
            assertTrue(!said.isEmpty() && said.size() <= seconds + 1, said.size() + " lines in " + seconds + " s");
            pairs.forEach(QueuePair::close);
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
    }
}
