package io.verbena.nic.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rc.packet.Icrc;
import io.verbena.rc.packet.IcrcPath;
import io.verbena.rc.packet.PacketView;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a captured link writes, and that it leaves the packets alone. */
class CapturedLinkTest {
    private static final Gid OWN = Gid.ofHex("00000000000000000000ffff7f000001");
    private static final Gid PEER = Gid.ofHex("00000000000000000000ffff7f000002");
    private static final int RECORD_HEADER = 16;
    private static final int HEADERS = 14 + 20 + 8;

    private final MemorySegment memory = Arena.ofAuto().allocate(PacketView.MAX_BYTES, 8);
    private final List<byte[]> sent = new ArrayList<>();
    private boolean closed;

    /** Where packets go that are remembered, and one comes from. */
    private final class Remembering implements CountedLink {
        private final LinkCounters counters = new LinkCounters();

        @Override
        public Gid gid() {
            return OWN;
        }

        @Override
        public int mtuBytes() {
            return 1024;
        }

        @Override
        public LinkCounters counters() {
            return counters;
        }

        @Override
        public int receiveBufferBytes() {
            return 1 << 20;
        }

        @Override
        public PacketPath pathTo(Gid peer, Marks marks) {
            return () -> peer;
        }

        @Override
        public long room() {
            return memory.address();
        }

        @Override
        public void send(PacketPath path, int bytes) {
            sent.add(memory.asSlice(0, bytes).toArray(ValueLayout.JAVA_BYTE));
        }

        @Override
        public void flush() {}

        @Override
        public boolean isRefused() {
            return false;
        }

        @Override
        public void watchMarks() {}

        @Override
        public int marks() {
            return -1;
        }

        @Override
        public boolean hasMore() {
            return false;
        }

        @Override
        public int receive(PacketReceiver receiver, int limit) {
            memory.asSlice(0, 20).fill((byte) 9);
            receiver.onPacket(memory.address(), 20, PEER.high(), PEER.low(), 50_000);
            return 1;
        }

        @Override
        public void await(long nanos) {}

        @Override
        public void wake() {}

        @Override
        public void close() {
            closed = true;
        }
    }

    private static List<byte[]> frames(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        List<byte[]> frames = new ArrayList<>();
        for (int at = 24; at < bytes.capacity(); at += RECORD_HEADER + bytes.getInt(at + 8)) {
            frames.add(Arrays.copyOfRange(
                    bytes.array(), at + RECORD_HEADER, at + RECORD_HEADER + bytes.getInt(at + 8)));
        }
        return frames;
    }

    @Test
    void packetsOfBothDirectionsAreWrittenAndGoOn(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("x.pcap");
        List<Long> received = new ArrayList<>();
        try (PacketLink link = CapturedLink.to(new Remembering(), file)) {
            MemorySegment.ofAddress(link.room()).reinterpret(16).fill((byte) 0x64);
            link.send(link.pathTo(PEER), 16);
            assertEquals(1, link.receive((address, bytes, high, low, port) -> received.add(address), 8));
        }
        assertTrue(closed);
        assertEquals(16, sent.getFirst().length);
        assertEquals(List.of(memory.address()), received);
        List<byte[]> frames = frames(file);
        assertEquals(2, frames.size());
        assertEquals(HEADERS + 16 + PacketView.ICRC_BYTES, frames.getFirst().length);
        assertEquals(50_000, ByteBuffer.wrap(frames.getLast()).getShort(HEADERS - 8) & 0xFFFF);
        assertEquals(9, frames.getLast()[HEADERS]);
    }

    @Test
    void crcOfWhatLeavesIsThatOfItsHeaders(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("x.pcap");
        try (PacketLink link = CapturedLink.to(new Remembering(), file)) {
            MemorySegment.ofAddress(link.room()).reinterpret(64).fill((byte) 0x11);
            link.send(link.pathTo(PEER), 64);
        }
        byte[] frame = frames(file).getFirst();
        MemorySegment packet = Arena.ofAuto().allocate(68, 8);
        packet.copyFrom(MemorySegment.ofArray(frame).asSlice(HEADERS));
        assertTrue(new Icrc(packet).verify(new IcrcPath(OWN, PEER, 4791, 4791), packet.address(), 68));
    }

    @Test
    void everythingIsInTheFileWhileTheLinkWaits(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("x.pcap");
        try (PacketLink link = CapturedLink.to(new Remembering(), file)) {
            link.room();
            link.send(link.pathTo(PEER), 16);
            link.await(1);
            assertEquals(1, frames(file).size());
        }
    }

    @Test
    void everythingIsInTheFileSoonWhileTheLinkIsDrivenOnly(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("x.pcap");
        try (PacketLink link = CapturedLink.to(new Remembering(), file)) {
            link.room();
            link.send(link.pathTo(PEER), 16);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            while (frames(file).isEmpty() && System.nanoTime() < end) {
                link.flush();
            }
            assertEquals(1, frames(file).size());
        }
    }

    @Test
    void fileThatCannotBeWrittenIsRefusedAndTheLinkClosed(@TempDir Path folder) {
        String told = assertThrows(VerbsException.class, () ->
                CapturedLink.to(new Remembering(), folder.resolve("none/x.pcap"))).getMessage();
        assertTrue(told.contains("name a file in a folder that exists"), told);
        assertTrue(closed);
    }
}
