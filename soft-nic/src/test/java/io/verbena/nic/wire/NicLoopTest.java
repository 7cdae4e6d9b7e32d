package io.verbena.nic.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.nic.Crew;
import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.direct.Path;
import io.verbena.nic.direct.Progress;
import io.verbena.nic.link.CountedLink;
import io.verbena.nic.link.Faults;
import io.verbena.nic.link.LinkDecorator;
import io.verbena.nic.link.PacketLinks;
import io.verbena.nic.link.PacketPath;
import io.verbena.nic.link.SocketKind;
import io.verbena.rc.packet.PacketType;
import io.verbena.rc.packet.PacketView;
import io.verbena.rc.packet.PacketWriter;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.AsyncEvent.QueuePairEvent.Kind;
import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairState;
import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the loop of a NIC does besides its turns. */
class NicLoopTest {
    private static final long PID = ProcessHandle.current().pid();
    private static final String ADDRESS = "127." + (1 + PID / 250 % 250) + "." + (1 + PID % 250) + ".103";
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(2);

    /** A link that the system takes nothing from for a while, and on which a sleep ends only when somebody ends it. */
    private static final class HeldLink extends LinkDecorator<CountedLink> {
        volatile boolean held;
        volatile boolean asleep;
        volatile boolean awaitsTheSystem;

        HeldLink(CountedLink link) {
            super(link);
        }

        @Override
        public void flush() {
            if (!held) {
                super.flush();
            }
        }

        @Override
        public boolean isRefused() {
            return held || super.isRefused();
        }

        @Override
        public void await(long nanos) {
            awaitsTheSystem |= isRefused();
            asleep = true;
            super.await(LONG_NS);
            asleep = false;
        }
    }

    /** A connection that has one thing to say. */
    private record Dying(PacketPath way) implements Transport {
        @Override
        public boolean lastPacket(PacketWriter writer) {
            writer.begin(PacketType.RC_ACKNOWLEDGE, 17, 1);
            writer.aeth(0, 1);
            writer.finish(0);
            return true;
        }

        @Override
        public QueuePairState state() {
            return QueuePairState.RTS;
        }

        @Override
        public void startSending(Path path, int sendPsn, long firstSequence) {}

        @Override
        public void update(Path path, PacketPath newWay) {}

        @Override
        public void drain() {}

        @Override
        public void resume() {}

        @Override
        public void fail(Kind kind) {}

        @Override
        public void onWork(long now) {}

        @Override
        public Verdict onPacket(PacketView view, long now) {
            return Verdict.ACCEPTED;
        }

        @Override
        public boolean nextPacket(PacketWriter writer, long now) {
            return false;
        }

        @Override
        public int sendPsn() {
            return 0;
        }

        @Override
        public int receivePsn() {
            return 0;
        }
    }

    @Test
    void aLastPacketThatTheSystemDoesNotTakeAtOnceIsWaitedFor() throws IOException {
        Gid gid = Gid.of(InetAddress.getByName(ADDRESS));
        HeldLink link = new HeldLink(PacketLinks.open(gid, SocketKind.AUTO, Faults.NONE));
        NicLoop[] loops = new NicLoop[1];
        Progress progress = new Progress("soft16", () -> loops[0].deadlineMoved());
        NicLoop loop = new NicLoop(link, progress, NicCounters.open("soft16", null), "soft16", false);
        loops[0] = loop;
        loop.start();
        try {
            Crew.await("the thread sleeps", () -> link.asleep);
            link.held = true;
            progress.exclusively(() -> loop.sayLast(new Dying(link.pathTo(gid))));
            Crew.await("the thread waits until the system takes the packet", () -> link.awaitsTheSystem);
            long before = loop.packets();
            link.held = false;
            link.wake(); // as the system does
            Crew.await("the packet comes back to its sender", () -> loop.packets() > before);
            assertEquals(0, loop.failures());
        } finally {
            loop.close();
        }
    }
}
