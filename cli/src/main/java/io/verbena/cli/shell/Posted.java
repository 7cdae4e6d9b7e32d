package io.verbena.cli.shell;

import io.verbena.verbs.PostStatus;

/**
 * What posting one work request came to.
 *
 * @param wrId comes back in the completion
 * @param status a code of {@link PostStatus}
 */
public record Posted(long wrId, int status) {
    /**
     * Whether the work request was taken.
     *
     * @return false when it was refused; then it has no effect and no completion
     */
    public boolean isOk() {
        return status == PostStatus.OK;
    }

    @Override
    public String toString() {
        return isOk() ? "posted wrId=" + wrId : "refused wrId=" + wrId + ": " + PostStatus.describe(status);
    }
}
