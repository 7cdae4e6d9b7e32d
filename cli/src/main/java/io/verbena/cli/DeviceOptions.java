package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.Link;
import io.verbena.bench.OptionRange;
import io.verbena.bench.PathConfig;
import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.VerbsException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads and checks what several commands are told about devices and links. */
final class DeviceOptions {
    /** The device used when none is named. */
    static final String DEFAULT = "soft";

    /** Why no path MTU can be given for datagrams. */
    static final String NO_PATH_MTU = "a datagram is one packet, at most as long as the port's MTU (see devinfo)";

    private static final Pattern DEVICE_LINK = Pattern.compile("[?&]link=([^&]*)");

    private DeviceOptions() {}

    /** Opens a device; a bad specification is a bad option. */
    static Context open(String specification) {
        return checked(() -> Devices.open(specification));
    }

    /** Does something that shows whether a device has what the options name; if not, that is a bad option. */
    static <T> T checked(Supplier<T> check) {
        try {
            return check.get();
        } catch (VerbsException e) {
            if (e.errno() == Errno.ENODEV || e.errno() == Errno.EINVAL || e.errno() == Errno.ENODATA) {
                throw new BadOptionException(e.getMessage());
            }
            throw e;
        }
    }

    /** Reads the path of a folder. */
    static Path folder(String option, String text) {
        try {
            Path folder = Path.of(text);
            if (Files.isDirectory(folder)) {
                return folder;
            }
        } catch (InvalidPathException e) {
            throw BadOptionException.value(option, '"' + text + '"', "the path of a folder");
        }
        throw BadOptionException.value(option, '"' + text + '"', "the path of a folder");
    }

    /** Reads the path between the ends. */
    static Link link(String text) {
        for (Link link : Link.values()) {
            if (link.label().equals(text)) {
                return link;
            }
        }
        throw BadOptionException.value("--link", '"' + text + '"', "loopback, shm, udp");
    }

    /** The specification of a device that reaches peers on a path. */
    static String device(String specification, Link link) {
        Matcher told = DEVICE_LINK.matcher(specification);
        if (told.find()) {
            // In one process any device does.
            if (link != Link.LOOPBACK && !told.group(1).equals(link.label())) {
                throw new BadOptionException("-d " + specification + " contradicts --link " + link.label()
                        + "; give --link " + told.group(1) + ", or leave link= out of the device");
            }
            return specification;
        }
        if (link == Link.LOOPBACK) {
            return specification;
        }
        return specification + (specification.indexOf('?') < 0 ? "?" : "&") + "link=" + link.label();
    }

    /** Reads a path MTU; null gives the default. */
    static Mtu mtu(String text) {
        if (text == null) {
            return PathConfig.DEFAULT.mtu();
        }
        for (Mtu mtu : Mtu.values()) {
            if (Integer.toString(mtu.bytes()).equals(text)) {
                return mtu;
            }
        }
        throw BadOptionException.value("-m", '"' + text + '"', Arrays.stream(Mtu.values())
                .map(mtu -> Integer.toString(mtu.bytes())).collect(Collectors.joining(", ")) + " bytes");
    }

    /** Reads a number that fits an int; null gives the default. */
    static int number(OptionRange range, String text, int defaultValue) {
        return text == null ? defaultValue : (int) range.parse(text);
    }
}
