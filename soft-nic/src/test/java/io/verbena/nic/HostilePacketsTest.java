package io.verbena.nic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.verbs.Access;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.Threading;
import io.verbena.verbs.WorkCompletion;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever comes to the UDP port of a NIC, from strangers or from whoever can pretend to be a peer: the NIC goes on,
 * every packet is counted once, and nothing is touched but what is open.
 */
@Timeout(300)
class HostilePacketsTest {
    private static final long PID = ProcessHandle.current().pid();
    private static final String HOSTS = "127." + (1 + PID / 250 % 250) + "." + (1 + PID % 250);
    private static final String TARGET = HOSTS + ".96";
    private static final String PEER = HOSTS + ".97";
    private static final String STRANGER = HOSTS + ".98";
    private static final long CANARY = 0x5A5A_5A5A_5A5A_5A5AL;
    /** Receives lie before this, what must not be touched behind it. */
    private static final int OPEN_BYTES = 8_192;
    private static final int RECEIVES = 8;
    private static final int RECEIVE_BYTES = OPEN_BYTES / RECEIVES;
    /** Packets on their way at a time, so that the system has room for all of them. */
    private static final int IN_FLIGHT = 64;
    private static final int LOOK_EVERY = 2_048;
    private static final int QPN_MASK = 0xFF_FFFF;
    /** Where a packet that was not simply taken is counted. */
    private static final EnumSet<DeviceCounter> NOT_TAKEN = EnumSet.of(DeviceCounter.DUPLICATE_REQUEST,
            DeviceCounter.OUT_OF_SEQ_REQUEST, DeviceCounter.CNP_HANDLED, DeviceCounter.PKT_DROP_BAD_LENGTH,
            DeviceCounter.PKT_DROP_TOO_LONG, DeviceCounter.PKT_DROP_UNKNOWN_OPCODE, DeviceCounter.PKT_DROP_BAD_VERSION,
            DeviceCounter.PKT_DROP_BAD_ICRC, DeviceCounter.PKT_DROP_UNKNOWN_QPN, DeviceCounter.PKT_DROP_WRONG_TRANSPORT,
            DeviceCounter.PKT_DROP_WRONG_STATE, DeviceCounter.PKT_DROP_FOREIGN_SOURCE, DeviceCounter.PKT_DROP_BAD_PKEY,
            DeviceCounter.PKT_DROP_STALE, DeviceCounter.PKT_DROP_FORGOTTEN, DeviceCounter.UC_DROP_NO_RECEIVE,
            DeviceCounter.UC_DROP_TOO_LONG, DeviceCounter.UC_DROP_BROKEN_MESSAGE, DeviceCounter.UC_DROP_NOT_ALLOWED,
            DeviceCounter.UD_DROP_NO_RECEIVE, DeviceCounter.UD_DROP_BAD_QKEY, DeviceCounter.UD_DROP_TOO_LONG);

    /** Those of them that need more luck, or a receive, than there is here. */
    private static final EnumSet<DeviceCounter> RARE = EnumSet.of(DeviceCounter.CNP_HANDLED,
            DeviceCounter.PKT_DROP_FORGOTTEN, DeviceCounter.PKT_DROP_WRONG_STATE, DeviceCounter.UC_DROP_TOO_LONG,
            DeviceCounter.UD_DROP_NO_RECEIVE, DeviceCounter.UD_DROP_TOO_LONG);

    private final Random random = new Random(0xBAD);
    private final List<AutoCloseable> things = new ArrayList<>();
    private TwoEnds live;
    private TwoEnds hit;
    private QueuePair unreliable;
    private QueuePair datagrams;
    private MemoryRegion readOnly;
    private NicCounters counters;
    private long round;
    private long broken;

    @BeforeEach
    void open() {
        Setup setup = Setup.of(Threading.SAFE, 64).withDevices(
                "soft14?counters=off&link=udp&bind=" + TARGET, "soft15?counters=off&link=udp&bind=" + PEER);
        live = new TwoEnds(setup);
        hit = new TwoEnds(setup);
        counters = ((SoftContext) hit.a.context).nic().counters();
        // Only the middle may be written by others, if they knew its key; what is behind it may be read.
        hit.a.region.close();
        for (long at = 0; at < End.BYTES; at += Long.BYTES) {
            hit.a.set(at, CANARY);
        }
        hit.a.region = hit.a.pd.register(hit.a.memory.segment().asSlice(0, OPEN_BYTES), End.ALL);
        readOnly = hit.a.pd.register(hit.a.memory.segment().asSlice(2 * OPEN_BYTES, OPEN_BYTES), Access.REMOTE_READ);
        unreliable = queuePair(QueuePairType.UC);
        QueuePairAttributes ready = QueuePairAttributes.readyToReceive(hit.b.address(7));
        unreliable.modify(QueuePairAttributes.init(1, Access.REMOTE_WRITE));
        unreliable.modify(new QueuePairAttributes().state(QueuePairState.RTR).addressVector(ready.addressVector())
                .pathMtu(ready.pathMtu()).destQpNum(hit.b.qp.qpNum()).rqPsn(7));
        datagrams = queuePair(QueuePairType.UD);
        datagrams.modify(new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).port(1).qkey(End.QKEY));
        datagrams.modify(QueuePairAttributes.toState(QueuePairState.RTR));
        for (int i = 0; i < RECEIVES; i++) {
            receive(i);
        }
    }

    private QueuePair queuePair(QueuePairType type) {
        QueuePair qp = hit.a.pd.createQueuePair(QueuePairConfig.rc(hit.a.sendCq, QueuePairCapabilities.ofDepth(16))
                .withRecvCq(hit.a.recvCq).withType(type));
        things.add(qp);
        return qp;
    }

    private void receive(long place) {
        End.ok(datagrams.postReceive(place, hit.a.at(place * RECEIVE_BYTES), RECEIVE_BYTES, hit.a.region.lkey()));
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable thing : things) {
            thing.close();
        }
        readOnly.close();
        hit.close();
        live.close();
    }

    private HostilePackets from(String address) throws IOException {
        HostilePackets packets = new HostilePackets(
                InetAddress.getByName(address), InetAddress.getByName(TARGET), random.nextLong());
        things.add(packets);
        return packets;
    }

    private long arrived() {
        return counters.own(DeviceCounter.RCVD_PKTS);
    }

    private long notTaken() {
        return NOT_TAKEN.stream().mapToLong(counters::own).sum();
    }

    /** Waits until all that was sent has been looked at. */
    private void await(long sent) {
        Crew.await("the packets", () -> {
            hit.a.sendCq.poll(new WorkCompletion());
            return arrived() >= sent;
        });
    }

    /** The connection that nobody pretends to be goes on, and what is not open is as it was. */
    private void look() {
        round++;
        live.b.set(0, round);
        End.ok(live.b.write(round, 0, 8, live.a));
        End.expect(live.b.sendCq, round);
        assertEquals(round, live.a.get(0));
        var all = hit.a.memory.segment();
        for (long at = OPEN_BYTES; at < End.BYTES; at += Long.BYTES) {
            assertEquals(CANARY, all.get(ValueLayout.JAVA_LONG, at), "memory at " + at);
        }
    }

    private void toOtherQueuePairs(int count) throws IOException {
        Set<Integer> alive = new HashSet<>(List.of(live.a.qp.qpNum(), hit.a.qp.qpNum(), unreliable.qpNum(),
                datagrams.qpNum()));
        HostilePackets packets = from(PEER);
        long before = arrived();
        long unknown = counters.own(DeviceCounter.PKT_DROP_UNKNOWN_QPN);
        for (int i = 1; i <= count; i++) {
            int qpNum = random.nextInt() & QPN_MASK;
            while (alive.contains(qpNum)) {
                qpNum = random.nextInt() & QPN_MASK;
            }
            packets.wellMade(qpNum);
            if (i % IN_FLIGHT == 0 || i == count) {
                await(before + i);
            }
        }
        // Others may say something again on a machine that stalls; of these each was dropped once.
        assertTrue(arrived() >= before + count, arrived() + " packets");
        assertEquals(unknown + count, counters.own(DeviceCounter.PKT_DROP_UNKNOWN_QPN));
        look();
    }

    private void mutated(int count) throws IOException {
        HostilePackets[] senders = {from(PEER), from(PEER), from(PEER), from(STRANGER)};
        long before = arrived();
        long notTaken = notTaken();
        long asides = 0;
        long asidesNotTaken = 0;
        long taken = 0;
        for (int i = 1; i <= count; i++) {
            HostilePackets packets = senders[random.nextInt(senders.length)];
            long forbidden = hit.a.memory.segment().address() + OPEN_BYTES;
            switch (random.nextInt(3)) {
                case 0 -> packets.mutated(0, hit.a.qp.qpNum(), hit.a.qp.query().rqPsn(), forbidden);
                case 1 -> packets.mutated(0x20, unreliable.qpNum(), unreliable.query().rqPsn(), forbidden);
                default -> packets.mutated(0x60, datagrams.qpNum(), random.nextInt(), forbidden);
            }
            if (i % IN_FLIGHT == 0 || i == count) {
                await(before + asides + i);
                taken += settle();
            }
            if (i % LOOK_EVERY == 0 || i == count) {
                long here = arrived();
                long hereNotTaken = notTaken();
                look();
                asides += arrived() - here;
                asidesNotTaken += notTaken() - hereNotTaken; // what it said again, after the machine stood still
            }
        }
        assertEquals(0, counters.own(DeviceCounter.PKT_DROP_SYSTEM), "the system dropped none");
        long accepted = arrived() - before - asides - (notTaken() - notTaken - asidesNotTaken);
        assertTrue(accepted >= taken && accepted <= count, accepted + " packets simply taken, " + taken + " messages");
        assertTrue(taken > 0, "some datagrams were right");
        assertTrue(broken > 0, "the connection broke now and then");
        assertTrue(unreliable.query().state() == QueuePairState.RTR, "an unreliable connection does not break");
        for (DeviceCounter counter : NOT_TAKEN) {
            if (!RARE.contains(counter)) {
                assertTrue(counters.own(counter) > 0, "no packet was counted as " + counter);
            }
        }
    }

    /** Takes completions, posts the receives again and mends the connection; returns how many messages came. */
    private int settle() {
        WorkCompletion completion = new WorkCompletion();
        int messages = 0;
        while (hit.a.recvCq.poll(completion) == 1) {
            if (completion.qpNum() == datagrams.qpNum()) {
                messages += completion.isSuccess() ? 1 : 0;
                receive(completion.wrId());
            }
        }
        if (hit.a.qp.state() == QueuePairState.ERR || hit.b.qp.state() == QueuePairState.ERR) {
            broken++;
            hit.reconnect();
        }
        return messages;
    }

    @Test
    void packetsToQueuePairsThatDoNotExist() throws IOException {
        toOtherQueuePairs(30_000);
    }

    @Test
    void mutatedPackets() throws IOException {
        mutated(60_000);
    }

    @Test
    @Tag("ci")
    void aMillionPacketsToQueuePairsThatDoNotExist() throws IOException {
        toOtherQueuePairs(1_000_000);
    }

    @Test
    @Tag("ci")
    void twoMillionMutatedPackets() throws IOException {
        mutated(2_000_000);
    }
}
