package io.verbena.cli.shell;

import io.verbena.verbs.Access;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairSnapshot;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.RnrTimer;
import java.util.Locale;

/** Describes a queue pair: its state, its rings, its path, its sizes. Leaves out what its type does not have. */
final class QueuePairPortrait {
    private static final int WITHOUT_END = 7;
    private static final double NS_PER_MS = 1e6;

    private QueuePairPortrait() {}

    /** Some lines, each of which ends with a line feed. */
    static String of(QueuePair queuePair) {
        QueuePairAttributes now = queuePair.query();
        StringBuilder lines = new StringBuilder(headline(queuePair, now));
        lines.append(Portrait.ifTold(queuePair::snapshot).map(QueuePairPortrait::rings)
                .orElse("  rings       not told by this device\n"));
        if (now.state() != QueuePairState.RESET) {
            attributes(lines, queuePair.type(), now);
        }
        QueuePairCapabilities sizes = queuePair.capabilities();
        return lines.append(Portrait.text(
                "  room        %d sends, %d receives, %d and %d buffers each, %d bytes inline",
                sizes.maxSendWr(), sizes.maxRecvWr(), sizes.maxSendSge(), sizes.maxRecvSge(), sizes.maxInlineData()))
                .toString();
    }

    private static String headline(QueuePair queuePair, QueuePairAttributes now) {
        String peer = isConnected(queuePair.type(), now)
                ? String.format(Locale.ROOT, ", peer 0x%06x at %s", now.destQpNum(), now.addressVector().dgid())
                : "";
        return Portrait.text("%s in %s%s", Portrait.name(queuePair), now.state(), peer);
    }

    private static boolean isConnected(QueuePairType type, QueuePairAttributes now) {
        return type != QueuePairType.UD && now.addressVector() != null;
    }

    private static String rings(QueuePairSnapshot counts) {
        return Portrait.text("              posted  executed  completions  polled")
                + Portrait.text("  sends     %8d  %8d  %11d  %6d", counts.sendsPosted(), counts.sendsExecuted(),
                        counts.sendCompletions(), counts.sendCompletionsPolled())
                + Portrait.text("  receives  %8d         -  %11d  %6d", counts.receivesPosted(),
                        counts.receivesCompleted(), counts.receivesPolled());
    }

    private static void attributes(StringBuilder lines, QueuePairType type, QueuePairAttributes now) {
        if (now.state() != QueuePairState.INIT) {
            lines.append(Portrait.text("  next psn    to send 0x%06x, expected 0x%06x", now.sqPsn(), now.rqPsn()));
        }
        if (type == QueuePairType.UD) {
            lines.append(Portrait.text("  qkey        0x%08x", now.qkey()));
            return;
        }
        lines.append(Portrait.text("  peer may    %s", Access.toString(now.accessFlags())));
        if (!isConnected(type, now)) {
            return;
        }
        if (type == QueuePairType.UC) {
            lines.append(Portrait.text("  path        MTU %d", now.pathMtu().bytes()));
            return;
        }
        lines.append(Portrait.text("  path        MTU %d; no receive posted here: the peer waits %s",
                now.pathMtu().bytes(), millis(RnrTimer.nanos(now.minRnrTimer()))));
        lines.append(Portrait.text("  retries     no answer: %d after %s each; no receive posted there: %s",
                now.retryCount(), now.timeout() == 0 ? "no limit" : millis(RnrTimer.ackTimeoutNanos(now.timeout())),
                now.rnrRetry() == WITHOUT_END ? "without end" : Integer.toString(now.rnrRetry())));
        lines.append(Portrait.text("  at a time   %d READs and atomics of its own, %d of the peer",
                now.maxRdAtomic(), now.maxDestRdAtomic()));
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3g ms", nanos / NS_PER_MS);
    }
}
