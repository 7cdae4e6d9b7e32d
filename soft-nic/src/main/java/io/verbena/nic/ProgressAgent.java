package io.verbena.nic;

import io.verbena.nic.direct.Progress;
import org.agrona.concurrent.Agent;

/** The NIC's own thread under {@code progress=dedicated}: drives what inline progress leaves to posts and polls. */
final class ProgressAgent implements Agent {
    private final Progress progress;
    private final String name;

    ProgressAgent(Progress progress, String name) {
        this.progress = progress;
        this.name = name;
    }

    @Override
    public int doWork() {
        boolean due = progress.nextDeadline() != Progress.NEVER && progress.nextDeadline() - System.nanoTime() <= 0;
        progress.runIfPending();
        return due ? 1 : 0;
    }

    @Override
    public String roleName() {
        return name + "-progress";
    }
}
