package io.verbena.verbs.tck.peer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;

/** How commands and answers travel between processes: a length, then one serialised object. */
final class PeerFrame {
    private PeerFrame() {}

    /** A command to one of side B's stations; null closes the station. */
    record Request(long id, int station, PeerCommand<?> command) implements Serializable {}

    /** An answer, or what was thrown instead. */
    record Response(long id, Serializable answer, Throwable thrown) implements Serializable {}

    static void write(DataOutputStream out, Serializable object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
            objects.writeObject(object);
        }
        synchronized (out) {
            out.writeInt(bytes.size());
            bytes.writeTo(out);
            out.flush();
        }
    }

    static Object read(DataInputStream in) throws IOException {
        byte[] bytes = in.readNBytes(in.readInt());
        try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return objects.readObject();
        } catch (ClassNotFoundException e) {
            throw new IOException("the other side has other classes", e);
        }
    }
}
