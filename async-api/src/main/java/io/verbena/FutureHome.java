package io.verbena;

import io.verbena.async.op.Poller;
import java.util.concurrent.Executor;

/**
 * What the futures of a node share.
 *
 * @param poller who drives their completions
 * @param executor where their dependents run
 * @param inline whether dependents run on the driving thread instead
 */
record FutureHome(Poller poller, Executor executor, boolean inline) {}
