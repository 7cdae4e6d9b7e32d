package io.verbena.verbs.tck;

import io.verbena.verbs.AddressVector;
import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.PostStatus;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairCapabilities;
import io.verbena.verbs.QueuePairConfig;
import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.ReceiveRequests;
import io.verbena.verbs.SendRequests;
import io.verbena.verbs.SharedReceiveQueueConfig;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.tck.peer.GuardedMemory;
import io.verbena.verbs.tck.peer.LinkSpec;
import io.verbena.verbs.tck.peer.Station;
import io.verbena.verbs.tck.peer.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;

/** Objects of one context and every call of the API with random arguments; all from one seed. */
final class RandomWorld implements AutoCloseable {
    private static final int MOST = 12;
    private static final long MARKER = 0x4D41_524B_4552L;

    private final Station station = new Station();
    private final Context context = station.context();
    private final RandomArguments any;
    private final List<ProtectionDomain> domains = new ArrayList<>();
    private final List<CompletionChannel> channels = new ArrayList<>();
    private final List<CompletionQueue> cqs = new ArrayList<>();
    private final List<QueuePair> qps = new ArrayList<>();
    private final List<Buffer> buffers = new ArrayList<>();
    private final RandomWindows windows;
    private final SendRequests sends = new SendRequests(8, 4);
    private final ReceiveRequests receives = new ReceiveRequests(8, 4);
    private final WorkCompletion completion = new WorkCompletion();
    private final WorkCompletion[] batch = {new WorkCompletion(), new WorkCompletion(), new WorkCompletion()};
    private final List<Runnable> calls = List.of(
            this::createDomain, this::createChannel, this::createCq, this::createQp, this::createQp, this::register,
            this::register, this::closeSomething, this::connect, this::connect, this::modify, this::query,
            this::postSend, this::postSend, this::postSendList, this::postSendList, this::postSendList,
            this::postReceive, this::postReceive, this::postReceiveList, this::poll, this::poll, this::poll,
            this::window, this::armAndGet, this::asyncEvent, this::resize, this::reregister, this::acknowledge,
            this::queries, this::closeMemory, this::absurdCreations);
    private final RandomSharing sharing;
    private final List<Runnable> allCalls = new ArrayList<>(calls);

    RandomWorld(long seed) {
        any = new RandomArguments(new Random(seed));
        windows = new RandomWindows(any);
        domains.add(station.domain());
        sharing = new RandomSharing(
                new RandomSharing.World(station, any, qps, buffers, this::domain, completion));
        allCalls.addAll(sharing.calls());
    }

    /** Makes one random call; documented refusals are fine. */
    void call() {
        try {
            allCalls.get(any.below(allCalls.size())).run();
        } catch (VerbsException refusal) {
            if (refusal.getMessage() == null || refusal.getMessage().length() < 12) {
                throw new AssertionError("refusal without a clear text: " + refusal, refusal);
            }
        }
    }

    private void createDomain() {
        if (domains.size() < 3) {
            domains.add(station.keep(context.allocateProtectionDomain()));
        }
    }

    private void createChannel() {
        if (channels.size() < 3) {
            channels.add(station.keep(context.createCompletionChannel()));
        }
    }

    private void createCq() {
        if (cqs.size() < MOST) {
            CompletionQueueConfig config = CompletionQueueConfig.of(any.oneIn(4) ? any.number(200) : 256)
                    .withThreading(any.pick(Threading.values()))
                    .withChannel(any.oneIn(3) ? null : any.pick(channels));
            cqs.add(station.keep(context.createCompletionQueue(config)));
        }
    }

    private void createQp() {
        if (qps.size() < MOST && !cqs.isEmpty()) {
            int entries = any.oneIn(4) ? any.below(5) : 4;
            QueuePairCapabilities sizes =
                    new QueuePairCapabilities(any.below(17), any.below(17), entries, entries, any.below(128));
            QueuePairType type = any.oneIn(2) ? QueuePairType.RC : any.pick(QueuePairType.values());
            QueuePairConfig config = new QueuePairConfig(type, any.pick(cqs), any.pick(cqs),
                    any.oneIn(3) ? any.pick(sharing.srqs) : null, sizes, any.oneIn(3), any.pick(Threading.values()));
            qps.add(station.keep(domain().createQueuePair(config)));
        }
    }

    private void register() {
        if (buffers.size() < MOST) {
            GuardedMemory memory = station.allocate(1 + any.below(9000), any.kind());
            int access = any.access();
            MemoryRegion region = any.oneIn(4)
                    ? domain().register(memory.segment(), any.address(0, 1 << 20), access)
                    : domain().register(memory.segment(), access);
            buffers.add(new Buffer(memory, station.keep(region)));
        }
    }

    private void closeSomething() {
        if (!any.oneIn(4)) {
            return;
        }
        switch (any.below(7)) {
            case 0 -> close(domains);
            case 4 -> close(sharing.srqs);
            case 5 -> close(sharing.ways);
            case 1 -> close(channels);
            case 2 -> close(cqs);
            case 3 -> close(qps);
            default -> closeBuffer();
        }
    }

    private <T extends AutoCloseable> void close(List<T> list) {
        T object = any.pick(list);
        if (object == null || object == station.domain()) {
            return;
        }
        try {
            object.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        if (!any.oneIn(5)) {
            list.remove(object);
        }
    }

    private void closeBuffer() {
        Buffer buffer = any.pick(buffers);
        if (buffer != null) {
            buffer.region().close();
            buffers.remove(buffer);
        }
    }

    private void closeMemory() {
        Buffer buffer = any.pick(buffers);
        if (buffer != null && any.oneIn(20)) {
            buffer.memory().close();
        }
    }

    private void connect() {
        QueuePair left = any.pick(qps);
        QueuePair right = any.pick(qps);
        if (left == null || left.state() == QueuePairState.RTS && any.oneIn(2)) {
            return;
        }
        boolean sensible = !any.oneIn(6);
        bringUp(left, right, sensible);
        bringUp(right, left, sensible);
    }

    private void bringUp(QueuePair qp, QueuePair peer, boolean sensible) {
        if (qp == peer && qp.state() == QueuePairState.RTS) {
            return;
        }
        qp.modify(QueuePairAttributes.toState(QueuePairState.RESET));
        LinkSpec link = new LinkSpec().psn(4).retry(any.below(8), any.below(3)).minRnrTimer(1 + any.below(10));
        if (!sensible) {
            link.psn(any.oneIn(4) ? 5 : 4).rnrRetry(any.below(8)).rdAtomic(any.below(4), any.below(4))
                    .mtu(any.pick(Mtu.values())).access(any.below(16) & ~1);
        }
        link.connect(qp, new QueuePairEndpoint(station.gid(), peer.qpNum(), 4));
    }

    private ProtectionDomain domain() {
        return any.oneIn(10) ? any.pick(domains) : station.domain();
    }

    private void modify() {
        QueuePair qp = any.pick(qps);
        if (qp != null && any.oneIn(2)) {
            qp.modify(any.attributes(station.gid(), qp));
        }
    }

    private void query() {
        QueuePair qp = any.pick(qps);
        if (qp != null && (qp.query().state() == null || qp.capabilities() == null)) {
            throw new AssertionError("query without state or sizes");
        }
    }

    static void checkCode(int code) {
        if (code > 0 || code < PostStatus.BAD_FLUSH) {
            throw new AssertionError("undocumented status " + code);
        }
    }

    private void postSend() {
        QueuePair qp = any.pick(qps);
        Buffer local = any.pick(buffers);
        Buffer remote = any.pick(buffers);
        if (qp == null || local == null) {
            return;
        }
        long address = any.address(local.address(), local.region().length());
        long length = any.length(local.region().length());
        long target = any.address(remote.address(), remote.region().length());
        int lkey = any.key(local.lkey());
        int rkey = any.key(remote.region().rkey());
        checkCode(switch (any.below(4)) {
            case 0 -> qp.postSend(1, address, length, lkey, any.flags());
            case 1 -> qp.postWrite(2, address, length, lkey, target, rkey, any.flags());
            case 2 -> qp.postRead(3, address, length, lkey, target, rkey, any.flags());
            default -> qp.postFetchAndAdd(4, address, lkey, target, rkey, 1, any.flags());
        });
    }

    private void postSendList() {
        QueuePair qp = any.pick(qps);
        Buffer local = any.pick(buffers);
        if (qp != null && local != null) {
            any.fill(sends.clear(), local, any.pick(buffers), sharing::destination);
            windows.mayAdd(sends, local);
            int code = qp.postSend(sends);
            checkCode(code);
            if ((code == PostStatus.OK) != (sends.refusedIndex() < 0) || sends.refusedIndex() >= sends.size()) {
                throw new AssertionError("status " + code + " but refused index " + sends.refusedIndex());
            }
        }
    }

    private void window() {
        Buffer local = any.pick(buffers);
        if (local != null) {
            checkCode(windows.call(domain(), any.pick(qps), local));
        }
    }

    private void postReceive() {
        QueuePair qp = any.pick(qps);
        Buffer local = any.pick(buffers);
        if (qp != null && local != null) {
            checkCode(qp.postReceive(any.below(1000), any.address(local.address(), local.region().length()),
                    any.length(local.region().length()), any.key(local.lkey())));
        }
    }

    private void postReceiveList() {
        QueuePair qp = any.pick(qps);
        Buffer local = any.pick(buffers);
        if (qp != null && local != null) {
            any.fill(receives.clear(), local);
            checkCode(qp.postReceive(receives));
        }
    }

    private void poll() {
        CompletionQueue cq = any.pick(cqs);
        if (cq != null) {
            int taken = switch (any.below(3)) {
                case 0 -> cq.poll(completion);
                case 1 -> cq.poll(batch);
                default -> cq.poll(each -> completion.setOutcome(each.wrId(), 0, 0, 0), any.below(5));
            };
            if (taken > 4) {
                throw new AssertionError("poll returned " + taken);
            }
            checkCode(Math.min(taken, 0));
        }
    }

    private void armAndGet() {
        CompletionQueue cq = any.pick(cqs);
        CompletionChannel channel = any.pick(channels);
        if (cq != null) {
            checkCode(cq.arm(any.oneIn(2)));
        }
        CompletionQueue reported = channel == null ? null : channel.get(any.oneIn(50) ? 50_000 : 0);
        if (reported != null) {
            reported.acknowledge(1);
        }
    }

    private void asyncEvent() {
        AsyncEvent event = context.getAsyncEvent(0);
        if (event != null) {
            context.acknowledge(event);
        }
    }

    private void resize() {
        CompletionQueue cq = any.pick(cqs);
        if (cq != null && any.oneIn(3)) {
            cq.resize(any.number(400));
        }
    }

    private void reregister() {
        Buffer buffer = any.pick(buffers);
        Buffer other = any.pick(buffers);
        if (buffer != null && any.oneIn(3)) {
            buffer.region().reregister(any.number(8), any.oneIn(8) ? null : any.pick(domains),
                    any.oneIn(8) ? null : other.segment(), any.access());
        }
    }

    private void acknowledge() {
        CompletionQueue cq = any.pick(cqs);
        if (cq != null) {
            cq.acknowledge(any.number(3));
            throw new AssertionError("acknowledged more events than were delivered");
        }
    }

    private void queries() {
        switch (any.below(4)) {
            case 0 -> context.queryPort(any.number(2));
            case 1 -> context.queryGid(any.number(2), any.number(4));
            case 2 -> context.queryPkey(any.number(2), any.number(2));
            default -> context.queryGidTable();
        }
    }

    private void absurdCreations() {
        switch (any.below(4)) {
            case 0 -> context.createCompletionQueue(null);
            case 1 -> any.pick(domains).createQueuePair(null);
            case 2 -> any.pick(domains).register(null, any.access());
            default -> any.pick(domains)
                    .createSharedReceiveQueue(new SharedReceiveQueueConfig(any.number(9), 1, Threading.SAFE)).close();
        }
    }

    // The end: nothing may be stuck

    /** Moves every queue pair to ERR, sees a marker come out of both queues of each, and closes everything. */
    void finish() {
        for (QueuePair qp : qps) {
            try {
                drain(qp);
            } catch (VerbsException closed) {
                checkCode(qp.postReceive(0, 0, 0, 0));
            }
        }
        for (CompletionQueue cq : cqs) {
            while (cq.poll(completion) > 0) {
                assert completion.status() != null;
            }
        }
        sharing.drainShared();
    }

    private void drain(QueuePair qp) {
        if (qp.state() == QueuePairState.RESET) {
            qp.modify(new LinkSpec().init(qp.type()));
        }
        qp.modify(QueuePairAttributes.toState(QueuePairState.ERR));
        if (qp.capabilities().maxSendWr() > 0) {
            sends.clear().add(MARKER, Opcode.SEND, 0);
            if (qp.type() == QueuePairType.UD) {
                sends.to(station.keep(qp.protectionDomain().createAddressHandle(
                        AddressVector.to(station.gid()))), 1, 1);
            }
            awaitMarker(qp, qp.sendCq(), () -> qp.postSend(sends));
        }
        if (qp.capabilities().maxRecvWr() > 0 && qp.sharedReceiveQueue() == null) {
            awaitMarker(qp, qp.recvCq(), () -> qp.postReceive(MARKER, 0, 0, 0));
        }
    }

    private void awaitMarker(QueuePair qp, CompletionQueue cq, IntSupplier post) {
        boolean[] posted = new boolean[1];
        int[] last = new int[1];
        boolean came = Waiting.until(() -> {
            last[0] = posted[0] ? last[0] : post.getAsInt();
            posted[0] |= last[0] == PostStatus.OK;
            int taken = cq.poll(completion);
            boolean marker = taken == 1 && completion.wrId() == MARKER && completion.qpNum() == qp.qpNum();
            return marker || taken == PostStatus.CQ_ERROR || taken == PostStatus.CLOSED
                    || last[0] == PostStatus.CLOSED;
        }, Waiting.LIMIT_NANOS);
        if (!came) {
            throw new AssertionError("queue stuck: marker posted: " + posted[0] + " ("
                    + PostStatus.describe(last[0]) + "), last completion " + completion + ", " + qp.query());
        }
    }

    @Override
    public void close() {
        windows.close();
        sharing.leaveGroups();
        // First, since reregistration may have moved regions to domains that are younger.
        buffers.forEach(buffer -> buffer.region().close());
        station.close();
    }
}
