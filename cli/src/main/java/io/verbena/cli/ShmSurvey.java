package io.verbena.cli;

import io.verbena.nic.stat.CounterFileException;
import io.verbena.nic.stat.CounterFiles;
import io.verbena.nic.stat.CounterOwner;
import io.verbena.verbs.Gid;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What /proc tells of NICs that processes share: the abstract sockets that they listen on, and the memory files that
 * they have mapped. What this user may not see is unknown.
 *
 * @param nics by uid, process and device
 * @param segments by owner and inode
 */
record ShmSurvey(List<Nic> nics, List<ShmSegment> segments) {
    private static final int UNKNOWN = -1;
    private static final int NAME_COLUMN = 7;
    private static final int INODE_COLUMN = 6;
    private static final int FLAGS_COLUMN = 3;
    private static final int LISTENING = 0x10000;
    private static final Pattern ADDRESS = Pattern.compile("@verbena/(\\d{1,10})/([0-9a-f]{32})");
    private static final Pattern MAPPING = Pattern.compile("([0-9a-f]+)-([0-9a-f]+) (\\S+) ([0-9a-f]+) \\S+ (\\d+) +"
            + "/memfd:(" + ShmSegment.PREFIX + "\\S+).*");

    /**
     * A NIC that others can reach.
     *
     * @param gid its address
     * @param uid whose processes it serves
     * @param pid its process; -1 when that can't be seen
     * @param queuePairs how many are open; -1 when that can't be seen
     */
    record Nic(Gid gid, long uid, long pid, long queuePairs) {
        /** Its name in its process, which is part of its address. */
        String device() {
            return "soft" + ((gid.low() & 0xFF) - 1);
        }
    }

    /** What is mapped of one memory file. */
    private static final class Mapped {
        private final String name;
        private final List<Long> users = new ArrayList<>();
        private long bytes;
        private long owner = UNKNOWN;

        Mapped(String name) {
            this.name = name;
        }
    }

    /** Looks around. */
    static ShmSurvey of(Path proc) throws IOException {
        Map<Long, Nic> sockets = sockets(proc.resolve("net/unix"));
        Map<Long, Mapped> memory = new TreeMap<>();
        List<Nic> nics = new ArrayList<>();
        for (long pid : processes(proc)) {
            Path process = proc.resolve(Long.toString(pid));
            readMappings(process, pid, memory);
            readDescriptors(process, pid, memory, sockets, nics);
        }
        nics.addAll(sockets.values()); // those whose process can't be seen
        nics.sort(Comparator.comparingLong(Nic::uid).thenComparingLong(Nic::pid).thenComparing(Nic::device));
        List<ShmSegment> segments = new ArrayList<>();
        memory.forEach((inode, it) ->
                segments.add(new ShmSegment(inode, it.name, it.bytes, it.owner, List.copyOf(it.users))));
        segments.sort(Comparator.comparingLong(ShmSegment::owner).thenComparing(ShmSegment::inode));
        return new ShmSurvey(nics, segments);
    }

    private static Map<Long, Nic> sockets(Path file) throws IOException {
        Map<Long, Nic> sockets = new HashMap<>();
        for (String line : Files.readAllLines(file, StandardCharsets.ISO_8859_1)) {
            String[] columns = line.strip().split(" +");
            Matcher address = ADDRESS.matcher(columns.length > NAME_COLUMN ? columns[NAME_COLUMN] : "");
            if (address.matches() && (Integer.parseUnsignedInt(columns[FLAGS_COLUMN], 16) & LISTENING) != 0) {
                try {
                    sockets.put(Long.parseLong(columns[INODE_COLUMN]), new Nic(Gid.ofHex(address.group(2)),
                            Long.parseLong(address.group(1)), UNKNOWN, UNKNOWN));
                } catch (VerbsException e) {
                    // Somebody else's name.
                }
            }
        }
        return sockets;
    }

    private static List<Long> processes(Path proc) throws IOException {
        try (Stream<Path> entries = Files.list(proc)) {
            return entries.map(it -> it.getFileName().toString()).filter(name -> name.matches("\\d{1,10}"))
                    .map(Long::parseLong).sorted().toList();
        }
    }

    private static void readMappings(Path process, long pid, Map<Long, Mapped> memory) {
        try (Stream<String> lines = Files.lines(process.resolve("maps"), StandardCharsets.ISO_8859_1)) {
            lines.forEach(line -> {
                Matcher mapping = MAPPING.matcher(line);
                if (mapping.matches()) {
                    Mapped mapped = memory.computeIfAbsent(
                            Long.parseLong(mapping.group(5)), inode -> new Mapped(mapping.group(6)));
                    long bytes = Long.parseUnsignedLong(mapping.group(2), 16)
                            - Long.parseUnsignedLong(mapping.group(1), 16) + Long.parseLong(mapping.group(4), 16);
                    mapped.bytes = Math.max(mapped.bytes, bytes);
                    if (!mapped.users.contains(pid)) {
                        mapped.users.add(pid);
                    }
                }
            });
        } catch (IOException | UncheckedIOException e) {
            // It has ended, or is not ours to look at.
        }
    }

    private static void readDescriptors(
            Path process, long pid, Map<Long, Mapped> memory, Map<Long, Nic> sockets, List<Nic> nics) {
        try (Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
            for (Path descriptor : descriptors.toList()) {
                readDescriptor(descriptor, pid, memory, sockets, nics);
            }
        } catch (IOException | UncheckedIOException e) {
            // It has ended, or is not ours to look at.
        }
    }

    private static void readDescriptor(
            Path descriptor, long pid, Map<Long, Mapped> memory, Map<Long, Nic> sockets, List<Nic> nics) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            if (target.startsWith("socket:[")) {
                Nic nic = sockets.remove(Long.parseLong(target.replaceAll("\\D", "")));
                if (nic != null) {
                    nics.add(new Nic(nic.gid(), nic.uid(), pid, queuePairs(pid, nic.device())));
                }
            } else if (target.startsWith("/memfd:" + ShmSegment.PREFIX)) {
                Mapped mapped = memory.get((Long) Files.getAttribute(descriptor, "unix:ino"));
                if (mapped != null) {
                    mapped.owner = pid; // who only maps it has closed its descriptor
                    mapped.bytes = Files.size(descriptor);
                }
            }
        } catch (IOException e) {
            // Closed meanwhile.
        }
    }

    /** Its counters know. */
    private static long queuePairs(long pid, String device) {
        try {
            for (Path file : CounterFiles.list(CounterFiles.defaultDirectory())) {
                CounterOwner owner = CounterOwner.of(file).orElseThrow();
                if (owner.pid() == pid && owner.device().equals(device) && owner.isAlive()) {
                    var snapshot = CounterFiles.read(file);
                    return snapshot.queuePairs().size() + snapshot.hidden();
                }
            }
        } catch (IOException | CounterFileException e) {
            // Unknown then.
        }
        return UNKNOWN;
    }
}
