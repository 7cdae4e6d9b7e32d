package io.verbena;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Context;
import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceSpec;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.Provider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** The software NIC, of which one call fails, whichever a test names: device {@code failing}. */
public final class FailingDevice implements Provider {
    /** {@code Type.method}, or nothing. */
    static volatile String fails = "";
    /** What was made and is not closed. */
    static final List<String> OPEN = new ArrayList<>();

    @Override
    public String name() {
        return "failing";
    }

    @Override
    public List<Device> devices() {
        return List.of();
    }

    @Override
    public boolean knows(String name) {
        return name.equals("failing");
    }

    @Override
    public Context open(DeviceSpec spec) {
        return wrap(Context.class, Devices.open("soft6"));
    }

    private static <T> T wrap(Class<T> type, T real) {
        OPEN.add(type.getSimpleName());
        Class<?>[] types = {type};
        Object proxy = Proxy.newProxyInstance(type.getClassLoader(), types, (self, method, arguments) -> {
            if (fails.equals(type.getSimpleName() + "." + method.getName())) {
                throw new VerbsException(Errno.ENOMEM, method.getName(), "a test has this call fail");
            }
            Object result;
            try {
                result = method.invoke(real, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (method.getName().equals("close")) {
                OPEN.remove(type.getSimpleName());
            }
            return switch (result) {
                case ProtectionDomain domain -> wrap(ProtectionDomain.class, domain);
                case CompletionQueue queue -> wrap(CompletionQueue.class, queue);
                case null, default -> result;
            };
        });
        return type.cast(proxy);
    }
}
