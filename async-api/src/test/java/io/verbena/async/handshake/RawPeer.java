package io.verbena.async.handshake;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** The other end of a handshake, which keeps to no rules. */
final class RawPeer implements AutoCloseable {
    final Transcript transcript = new Transcript();

    private final Socket socket;
    private final DataInputStream in;

    RawPeer(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(TestAcceptor.DEADLINE_SECONDS));
        in = new DataInputStream(socket.getInputStream());
    }

    static RawPeer connect(InetSocketAddress to) throws IOException {
        return new RawPeer(new Socket(to.getAddress(), to.getPort()));
    }

    void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    void write(FrameType type, byte[] contents) throws IOException {
        write(frame(type.code(), contents.length, contents));
    }

    /** Says it, and remembers it. */
    void say(FrameType type, byte[] contents) throws IOException {
        transcript.add(type, contents);
        write(type, contents);
    }

    static byte[] frame(int type, int length, byte[] contents) {
        return ByteBuffer.allocate(Frame.HEADER_BYTES + contents.length)
                .putInt(Frame.MAGIC)
                .put((byte) type)
                .put((byte) 0)
                .putShort((short) length)
                .put(contents)
                .array();
    }

    Frame read() throws IOException {
        if (in.readInt() != Frame.MAGIC) {
            throw new IOException("no frame");
        }
        var type = FrameType.ofCode(in.readUnsignedByte());
        in.readByte();
        return new Frame(type, in.readNBytes(in.readUnsignedShort()));
    }

    /** Waits until there is something to read. */
    void awaitSomething() throws IOException {
        var start = System.nanoTime();
        while (in.available() == 0) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(TestAcceptor.DEADLINE_SECONDS)) {
                throw new IOException("nothing came");
            }
            Thread.onSpinWait();
        }
    }

    /** The refusal that comes next. */
    Refusal readRefusal() throws IOException {
        var frame = read();
        if (frame.type() != FrameType.REFUSED) {
            throw new IOException("a frame " + frame.type() + " instead of a refusal");
        }
        return Refusal.decode(frame.contents());
    }

    /** Waits until the other end has closed. */
    void awaitEnd() throws IOException {
        try {
            while (true) {
                in.readByte();
            }
        } catch (EOFException | SocketException e) {
            return;
        }
    }

    /** Says OPEN and reads CHALLENGE. */
    void open(boolean secret) throws IOException {
        say(FrameType.OPEN, Opening.ofThisVersion(secret).encode());
        transcript.add(FrameType.CHALLENGE, read().contents());
    }

    /** Comes as far as ANSWER, without a secret. */
    void hello() throws IOException {
        open(false);
        write(FrameType.HELLO, new SignedHello(HelloCodec.encode(Hellos.of(1)), new byte[0]).encode());
        read();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
