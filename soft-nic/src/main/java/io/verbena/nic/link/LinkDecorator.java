package io.verbena.nic.link;

import io.verbena.verbs.Gid;

/**
 * A link that does what another one does, but for what a subclass does differently.
 *
 * @param <L> what the other one must be able to do
 */
public abstract class LinkDecorator<L extends CountedLink> implements CountedLink {
    /** The other one; closed with this. */
    protected final L link;

    /**
     * Decorates a link.
     *
     * @param link which
     */
    protected LinkDecorator(L link) {
        this.link = link;
    }

    @Override
    public Gid gid() {
        return link.gid();
    }

    @Override
    public int mtuBytes() {
        return link.mtuBytes();
    }

    @Override
    public LinkCounters counters() {
        return link.counters();
    }

    @Override
    public int receiveBufferBytes() {
        return link.receiveBufferBytes();
    }

    @Override
    public PacketPath pathTo(Gid peer, Marks marks) {
        return link.pathTo(peer, marks);
    }

    @Override
    public long room() {
        return link.room();
    }

    @Override
    public void send(PacketPath path, int bytes) {
        link.send(path, bytes);
    }

    @Override
    public void flush() {
        link.flush();
    }

    @Override
    public boolean isRefused() {
        return link.isRefused();
    }

    @Override
    public int receive(PacketReceiver receiver, int limit) {
        return link.receive(receiver, limit);
    }

    @Override
    public boolean hasMore() {
        return link.hasMore();
    }

    @Override
    public void watchMarks() {
        link.watchMarks();
    }

    @Override
    public int marks() {
        return link.marks();
    }

    @Override
    public void await(long nanos) {
        link.await(nanos);
    }

    @Override
    public void wake() {
        link.wake();
    }

    @Override
    public void close() {
        link.close();
    }
}
