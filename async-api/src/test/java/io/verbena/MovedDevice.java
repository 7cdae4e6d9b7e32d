package io.verbena;

import io.verbena.verbs.AddressVector;
import io.verbena.verbs.Context;
import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceSpec;
import io.verbena.verbs.Devices;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.Provider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.StringJoiner;

/**
 * The software NIC with its port at number 2, its GID at index 5 and its partition key at index 3, so that whoever uses
 * the usual numbers instead of the configured ones is refused: device {@code moved}.
 */
public final class MovedDevice implements Provider {
    static final PortConfig PORT = new PortConfig(2, 5, 3);

    @Override
    public String name() {
        return "moved";
    }

    @Override
    public List<Device> devices() {
        return List.of();
    }

    @Override
    public boolean knows(String name) {
        return name.equals("moved");
    }

    @Override
    public Context open(DeviceSpec spec) {
        // The link is the software NIC's: moved?link=shm is soft?link=shm with other numbers.
        var real = Devices.open("soft" + settings(spec));
        return wrap(Context.class, real, (method, arguments) -> switch (method.getName()) {
            case "queryPort" -> real.queryPort(port((int) arguments[0]));
            case "queryGid" ->
                    real.queryGid(port((int) arguments[0]), moved("GID", (int) arguments[1], PORT.gidIndex()));
            case "queryPkey" ->
                    real.queryPkey(port((int) arguments[0]), moved("pkey", (int) arguments[1], PORT.pkeyIndex()));
            case "allocateProtectionDomain" -> domain(real.allocateProtectionDomain());
            default -> method.invoke(real, arguments);
        });
    }

    private static String settings(DeviceSpec spec) {
        var text = new StringJoiner("&", "?", "").setEmptyValue("");
        spec.settings().forEach((key, value) -> text.add(key + "=" + value));
        return text.toString();
    }

    private static ProtectionDomain domain(ProtectionDomain real) {
        return wrap(ProtectionDomain.class, real, (method, arguments) -> {
            var result = method.invoke(real, arguments);
            return result instanceof QueuePair made ? queuePair(made) : result;
        });
    }

    private static QueuePair queuePair(QueuePair real) {
        return wrap(QueuePair.class, real, (method, arguments) -> {
            if (method.getName().equals("modify")) {
                real.modify(usual((QueuePairAttributes) arguments[0]));
                return null;
            }
            return method.invoke(real, arguments);
        });
    }

    private static QueuePairAttributes usual(QueuePairAttributes moved) {
        var usual = new QueuePairAttributes(moved);
        if (has(moved, QueuePairAttribute.PORT)) {
            usual.port(port(moved.port()));
        }
        if (has(moved, QueuePairAttribute.PKEY_INDEX)) {
            usual.pkeyIndex(moved("pkey", moved.pkeyIndex(), PORT.pkeyIndex()));
        }
        if (has(moved, QueuePairAttribute.AV)) {
            var way = moved.addressVector();
            usual.addressVector(new AddressVector(
                    way.dgid(), moved("GID", way.sgidIndex(), PORT.gidIndex()), port(way.port()), way.hopLimit(),
                    way.trafficClass(), way.flowLabel()));
        }
        return usual;
    }

    private static boolean has(QueuePairAttributes attributes, QueuePairAttribute which) {
        return (attributes.mask() & which.mask()) != 0;
    }

    private static int port(int number) {
        moved("port", number, PORT.port());
        return 1;
    }

    private static int moved(String what, int index, int right) {
        if (index != right) {
            throw VerbsException.invalid(what + " index", index, "" + right);
        }
        return 0;
    }

    /** What a wrapped object does instead of the real one. */
    private interface Instead {
        Object call(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private static <T> T wrap(Class<T> type, T real, Instead instead) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            try {
                return instead.call(method, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
