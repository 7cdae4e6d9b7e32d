package io.verbena.nic.memory;

import java.lang.foreign.MemorySegment;

/** Where memory of another process is mapped here. */
public interface ForeignMemory {
    /**
     * The region behind a key, if it is mapped.
     *
     * @param key a key that the other process's table holds
     * @param base where the table says that the region starts there; tells it from one that the key opened before
     * @return all of the region; null when it is not mapped
     */
    MemorySegment known(int key, long base);

    /**
     * Has the region behind a key mapped, some time soon, since the other process has to be asked; waits for nobody.
     *
     * @param key a key that the other process's table holds
     * @param base where the region starts there
     */
    void map(int key, long base);
}
