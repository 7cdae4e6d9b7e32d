package io.verbena.bench;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.HdrHistogram.Histogram;

/**
 * The same ping-pong over TCP on the loopback interface, with TCP_NODELAY: what programs without RDMA do. Both ends
 * either spin on non-blocking channels or block in the kernel.
 */
final class TcpPair implements AutoCloseable {
    private final SocketChannel client;
    private final SocketChannel server;

    /** Connects two channels; busy ones spin, others block. */
    TcpPair(boolean busy) {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            client = prepare(SocketChannel.open(listener.getLocalAddress()), busy);
            server = prepare(listener.accept(), busy);
        } catch (IOException e) {
            throw new UncheckedIOException("no TCP connection over the loopback interface: " + e.getMessage(), e);
        }
    }

    /** Makes a new connection one that waits for nothing before it sends; a busy one blocks in nothing either. */
    static SocketChannel prepare(SocketChannel channel, boolean busy) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(!busy);
        return channel;
    }

    /** The side that sends first and records. */
    Side first(StopFlag stop, int size, Histogram times) {
        return new End(stop, client, size, times);
    }

    /** The side that answers. */
    Side second(StopFlag stop, int size) {
        return new End(stop, server, size, null);
    }

    @Override
    public void close() {
        try (client; server) {
            client.shutdownOutput();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One end: the first one sends and records, the second one answers. */
    static final class End extends Side {
        /** Empty reads, of a microsecond each, before giving way. */
        private static final int EMPTY_READS = 20;

        private final SocketChannel channel;
        private final ByteBuffer buffer;
        private final Histogram times;

        End(StopFlag stop, SocketChannel channel, int size, Histogram times) {
            super(stop);
            this.channel = channel;
            this.times = times;
            buffer = ByteBuffer.allocateDirect(size);
        }

        @Override
        public void run(long count) {
            try {
                long last = System.nanoTime();
                for (long i = 0; i < count; i++) {
                    if (times == null) {
                        receive();
                        send();
                    } else {
                        send();
                        receive();
                        long now = System.nanoTime();
                        times.recordValue(Math.min(now - last, Rig.LONGEST_NS));
                        last = now;
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException("TCP failed: " + e.getMessage(), e);
            }
        }

        private void send() throws IOException {
            buffer.clear();
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
        }

        private void receive() throws IOException {
            buffer.clear();
            int idle = 0;
            while (buffer.hasRemaining()) {
                int got = channel.read(buffer);
                if (got < 0) {
                    throw new EOFException("the peer closed the connection");
                } else if (got == 0 && ++idle == EMPTY_READS) {
                    idle = giveWay();
                }
            }
        }
    }
}
