package io.verbena.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** An end of netty_lat: its thread has the event loop exchange messages and sleeps meanwhile. */
final class NettyPing extends Side {
    private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final SocketChannel channel;
    private final ByteBuf message;
    private final Exchange exchange;
    private final Histogram times;

    /** Makes an end; the one with times begins and measures. The event loop gets the processor of this thread. */
    NettyPing(StopFlag stop, SocketChannel channel, int size, Histogram times) {
        super(stop);
        this.channel = channel;
        this.times = times;
        message = channel.alloc().directBuffer(size).writeZero(size);
        exchange = new Exchange(size);
        int cpu = Cores.here();
        channel.eventLoop().submit(() -> {
            Cores.pin(cpu);
            channel.pipeline().addLast(exchange);
        }).syncUninterruptibly();
    }

    @Override
    public void run(long count) {
        exchange.waiting = Thread.currentThread();
        exchange.done = false;
        // On return the loop knows, so that the first message of the other end is counted.
        channel.eventLoop().submit(() -> exchange.begin(count)).syncUninterruptibly();
        while (!exchange.done && exchange.failure == null) { // which may be from before this run
            stop().check();
            LockSupport.parkNanos(this, LOOK_NS);
        }
        if (exchange.failure != null) {
            throw new PerfException("Netty failed: " + exchange.failure);
        }
    }

    void release() {
        message.release();
    }

    /** What the event loop does. */
    private final class Exchange extends ChannelInboundHandlerAdapter {
        private final int size;
        private ChannelHandlerContext context;
        private int missing;
        private long left;
        private long last;
        private volatile Thread waiting;
        private volatile boolean done;
        private volatile Throwable failure;

        Exchange(int size) {
            this.size = size;
            missing = size;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext added) {
            context = added;
        }

        private void begin(long count) {
            left += count; // an early message of the other end has been taken off
            if (times != null) {
                last = System.nanoTime();
                send();
            } else {
                endIfDone();
            }
        }

        private void send() {
            context.writeAndFlush(message.retainedDuplicate(), context.voidPromise());
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object read) {
            ByteBuf bytes = (ByteBuf) read;
            missing -= bytes.readableBytes();
            bytes.release();
            if (missing > 0) {
                return;
            }
            missing += size;
            left--;
            if (times == null) {
                send();
            } else {
                long now = System.nanoTime();
                times.recordValue(Math.min(now - last, Rig.LONGEST_NS));
                last = now;
                if (left > 0) {
                    send();
                }
            }
            endIfDone();
        }

        private void endIfDone() {
            if (left == 0) {
                done = true;
                LockSupport.unpark(waiting);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            end(new IllegalStateException("the connection ended"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            end(cause);
        }

        private void end(Throwable cause) {
            failure = cause;
            done = true;
            LockSupport.unpark(waiting);
        }
    }
}
