package io.verbena.nic.counters;

import io.verbena.nic.stat.CounterFiles;
import io.verbena.nic.stat.CounterOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Removes the counter files of processes that died without doing so. Looks at names, never at contents. */
final class StaleFiles {
    private StaleFiles() {}

    /** Removes what may be removed; what may not is no reason to fail. */
    static void remove(Path directory) throws IOException {
        for (Path file : CounterFiles.list(directory)) {
            if (CounterOwner.of(file).orElseThrow().isDead(file)) {
                try {
                    Files.deleteIfExists(file);
                } catch (IOException e) {
                    // Not ours to remove, or somebody else was faster.
                }
            }
        }
    }
}
