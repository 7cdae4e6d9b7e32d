package io.verbena.nic.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Blocks are aligned, zeroed, apart from each other, and used again. */
class BlockPoolTest {
    private static final long[] SIZES = {1, 511, 512, 513, 4096, 100_000, 262_144, 262_145, 3 << 20};

    @Test
    void blocksAreAlignedAndZeroedAtFirstAndAgain() {
        BlockPool pool = new BlockPool();
        for (int round = 0; round < 3; round++) {
            for (long size : SIZES) {
                MemorySegment block = pool.take(size);
                assertTrue(block.byteSize() >= size);
                assertEquals(0, block.address() % BlockPool.ALIGNMENT);
                for (byte value : block.toArray(ValueLayout.JAVA_BYTE)) {
                    assertEquals(0, value);
                }
                block.fill((byte) 1);
                pool.give(block);
            }
        }
        assertEquals(0, pool.bytesInUse());
    }

    @Test
    void givenBlocksAreTakenAgainSoThatMemoryStaysFlat() {
        BlockPool pool = new BlockPool();
        MemorySegment block = pool.take(5000);
        long address = block.address();
        for (int i = 0; i < 100_000; i++) {
            pool.give(block);
            block = pool.take(5000);
            assertEquals(address, block.address());
        }
    }

    /** One block at a time, of more and more sizes: only the pages of the last one may stay. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void largeBlocksOfManySizesDoNotAddUp() throws IOException {
        BlockPool pool = new BlockPool();
        pool.give(pool.take(1 << 20));
        long before = residentKilobytes();
        for (int sixteenths = 16; sixteenths <= 128; sixteenths++) {
            pool.give(pool.take((long) sixteenths << 16));
        }
        long grown = residentKilobytes() - before;
        assertTrue(grown < 24 << 10, grown + " KiB for blocks of at most 8 MiB");
    }

    private static long residentKilobytes() throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
            String line = lines.filter(each -> each.startsWith("VmRSS:")).findFirst().orElseThrow();
            return Long.parseLong(line.replaceAll("\\D", ""));
        }
    }

    @Test
    void blocksInUseNeverOverlap() {
        Random random = new Random(1);
        BlockPool pool = new BlockPool();
        List<MemorySegment> blocks = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            if (blocks.size() > 100 || random.nextInt(3) == 0 && !blocks.isEmpty()) {
                MemorySegment block = blocks.remove(random.nextInt(blocks.size()));
                assertEquals(block.address(), block.get(ValueLayout.JAVA_LONG, 0));
                assertEquals(block.address(), block.get(ValueLayout.JAVA_LONG, block.byteSize() - 8));
                pool.give(block);
            } else {
                MemorySegment block = pool.take(1 + random.nextInt(20_000));
                block.set(ValueLayout.JAVA_LONG, 0, block.address());
                block.set(ValueLayout.JAVA_LONG, block.byteSize() - 8, block.address());
                blocks.add(block);
            }
        }
        blocks.forEach(block -> assertEquals(block.address(), block.get(ValueLayout.JAVA_LONG, 0)));
    }
}
