package io.verbena;

import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The operations of a {@link ModelPair} that tell a callback: each is told once, and only if it was started. */
final class ModelCallbacks {
    private final Queue<Told> told = new ConcurrentLinkedQueue<>();
    private final Map<Long, ModelOperation> byToken = new HashMap<>();
    private final Map<ModelOperation, Long> tokens = new HashMap<>();
    private final Runnable closer;
    private long nextToken;

    /** What a callback was told, by whatever thread. */
    private record Told(long token, int status, long value) {}

    /** What starts an operation. */
    interface Start {
        int start(CompletionCallback callback, long token);
    }

    /** The closer is what some callbacks run. */
    ModelCallbacks(Runnable closer) {
        this.closer = closer;
    }

    /** Starts one; a code of {@link OperationStatus}. */
    int start(ModelOperation op, boolean closes, Start start) {
        long token = nextToken++;
        int status = start.start((its, ended, value) -> {
            told.add(new Told(its, ended, value));
            if (closes) {
                closer.run();
            }
        }, token);
        if (status == OperationStatus.SUCCESS) {
            byToken.put(token, op);
            tokens.put(op, token);
        }
        return status;
    }

    void look(boolean failuresAllowed) {
        for (Told each = told.poll(); each != null; each = told.poll()) {
            ModelOperation op = byToken.get(each.token);
            int status = each.status;
            ModelWorld.check(op != null, "token " + each.token + ", which was not started or has ended before, is told "
                    + OperationStatus.describe(status));
            boolean usual = status == OperationStatus.SUCCESS || status == OperationStatus.DEADLINE
                    || status == OperationStatus.BACK_PRESSURED;
            ModelWorld.check(usual || failuresAllowed, () -> op + " is told " + OperationStatus.describe(status));
            op.ended(status, each.value);
        }
    }

    void forget(ModelOperation op) {
        Long token = tokens.remove(op);
        if (token != null) {
            byToken.remove(token);
        }
    }

    /** There is nothing that might still be told. */
    void none() {
        ModelWorld.check(told.isEmpty() && byToken.isEmpty(), () -> "left: " + told + byToken);
    }
}
