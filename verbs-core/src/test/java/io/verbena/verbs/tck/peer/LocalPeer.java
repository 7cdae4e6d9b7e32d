package io.verbena.verbs.tck.peer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;

/** Side B in this JVM. Commands and answers still pass through serialisation, as they would on their way elsewhere. */
public final class LocalPeer implements Peer {
    private final PeerExecutor executor = new PeerExecutor();

    /** Opens the device under test a second time. */
    public LocalPeer() {}

    @Override
    @SuppressWarnings("unchecked")
    public <R extends Serializable> R execute(PeerCommand<R> command) {
        return (R) copy(executor.execute((PeerCommand<?>) copy(command)));
    }

    private static Object copy(Serializable original) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
                out.writeObject(original);
            }
            try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
                return in.readObject();
            }
        } catch (IOException | ClassNotFoundException e) {
            throw new AssertionError("not serialisable: " + original, e);
        }
    }

    @Override
    public void close() {
        executor.close();
    }
}
