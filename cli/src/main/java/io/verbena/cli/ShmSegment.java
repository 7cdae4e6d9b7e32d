package io.verbena.cli;

import java.util.List;

/**
 * A piece of memory that processes share.
 *
 * @param inode tells it apart
 * @param name as the system shows it, for example {@code verbena-board-soft0}
 * @param bytes its size, of which the system provides what was touched
 * @param owner the process that made it; -1 when that can't be seen
 * @param users the processes that have mapped it, the owner included
 */
record ShmSegment(long inode, String name, long bytes, long owner, List<Long> users) {
    /** What all names start with. */
    static final String PREFIX = "verbena-";

    /** What it is for. */
    String kind() {
        String rest = name.substring(PREFIX.length());
        return rest.startsWith("board") ? "board" : rest;
    }
}
