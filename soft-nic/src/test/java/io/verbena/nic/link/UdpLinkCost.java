package io.verbena.nic.link;

import io.verbena.verbs.Gid;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Locale;

/**
 * Measures what a packet costs by ways to send it: {@code one} (a system call for each), {@code many} (a call for a
 * batch) and {@code joined} (runs as one message, cut or joined by the system), in turns.
 *
 * <p>{@code UdpLinkCost loopback ROUNDS} sends and receives in one thread. Between network namespaces, with three
 * addresses at either end: {@code UdpLinkCost echo ADDRESS ADDRESS ADDRESS} in one, {@code UdpLinkCost ask ROUNDS
 * ADDRESS ADDRESS ADDRESS PEER PEER PEER} in the other.
 */
final class UdpLinkCost {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final String[] WAYS = {"one", "many", "joined"};
    private static final int[] LENGTHS = {16, 272, 1040, 4112};
    private static final int[] BATCHES = {1, 2, 4, 16, 64};
    private static final int[] LARGE_BATCHES = {16, 64};
    private static final int PACKETS = 20_000;

    private UdpLinkCost() {}

    /** One way to send, at one end. */
    private static final class Way {
        final UdpLink link;
        private final boolean each;
        private int received;
        private final PacketReceiver counting = (address, bytes, high, low, port) -> received++;

        Way(int way, Gid own) {
            link = UdpLink.open(own, way == 2);
            each = way == 0;
        }

        void send(PacketPath path, int bytes, int count) {
            for (int i = 0; i < count; i++) {
                link.room();
                link.send(path, bytes);
                if (each) {
                    link.flush();
                }
            }
            link.flush();
        }

        void receive(int count) {
            while (received < count) {
                if (link.receive(counting, count - received) == 0) {
                    link.await(1_000_000_000);
                }
            }
            received -= count;
        }
    }

    /** Runs it. */
    public static void main(String[] arguments) throws UnknownHostException {
        switch (arguments[0]) {
            case "loopback" -> loopback(Integer.parseInt(arguments[1]));
            case "echo" -> echo(arguments);
            default -> ask(Integer.parseInt(arguments[1]), arguments);
        }
    }

    private static Gid gid(String address) throws UnknownHostException {
        return Gid.of(InetAddress.getByName(address));
    }

    private static void loopback(int rounds) {
        Way[] from = new Way[WAYS.length];
        Way[] to = new Way[WAYS.length];
        PacketPath[] paths = new PacketPath[WAYS.length];
        for (int i = 0; i < WAYS.length; i++) {
            from[i] = new Way(i, LoopbackAddresses.next());
            to[i] = new Way(i, LoopbackAddresses.next());
            paths[i] = from[i].link.pathTo(to[i].link.gid());
        }
        run(rounds, BATCHES, (way, bytes, batch) -> {
            from[way].send(paths[way], bytes, batch);
            to[way].receive(batch);
        });
    }

    /** One batch. */
    private interface Step {
        void run(int way, int bytes, int batch);
    }

    private static void run(int rounds, int[] batches, Step step) {
        for (int bytes : LENGTHS) {
            for (int batch : batches) {
                double[][] nanos = new double[WAYS.length][rounds];
                for (int round = -1; round < rounds; round++) {
                    for (int way = 0; way < WAYS.length; way++) {
                        long before = THREADS.getCurrentThreadCpuTime();
                        for (int i = 0; i < PACKETS; i += batch) {
                            step.run(way, bytes, batch);
                        }
                        nanos[way][Math.max(0, round)] =
                                (double) (THREADS.getCurrentThreadCpuTime() - before) / PACKETS;
                    }
                }
                report(bytes, batch, nanos);
            }
        }
    }

    private static void report(int bytes, int batch, double[][] nanos) {
        StringBuilder line = new StringBuilder("{\"bytes\":" + bytes + ",\"batch\":" + batch);
        for (int way = 0; way < WAYS.length; way++) {
            Arrays.sort(nanos[way]);
            line.append(String.format(Locale.ROOT, ",\"%s\":%.0f", WAYS[way], nanos[way][nanos[way].length / 2]));
        }
        System.out.println(line.append("}"));
    }

    private static void ask(int rounds, String[] arguments) throws UnknownHostException {
        Way[] ways = new Way[WAYS.length];
        PacketPath[] paths = new PacketPath[WAYS.length];
        for (int i = 0; i < WAYS.length; i++) {
            ways[i] = new Way(i, gid(arguments[2 + i]));
            paths[i] = ways[i].link.pathTo(gid(arguments[2 + WAYS.length + i]));
        }
        run(rounds, LARGE_BATCHES, (way, bytes, batch) -> {
            if (bytes <= ways[way].link.mtuBytes() + 16) {
                ways[way].send(paths[way], bytes, batch);
                ways[way].send(paths[way], 12, 1);
                ways[way].receive(1);
            }
        });
    }

    /** Answers every packet of 12 bytes; says now and then what its threads have used. */
    private static void echo(String[] arguments) throws UnknownHostException {
        for (int i = 0; i < WAYS.length; i++) {
            Way way = new Way(i, gid(arguments[1 + i]));
            PacketPath[] back = new PacketPath[1];
            String name = WAYS[i];
            Thread.ofPlatform().start(() -> {
                long[] received = new long[2];
                PacketReceiver receiver = (address, bytes, high, low, port) -> {
                    received[bytes == 16 ? 1 : 0]++;
                    if (bytes == 16) {
                        back[0] = back[0] == null ? way.link.pathTo(new Gid(high, low)) : back[0];
                        way.link.room();
                        way.link.send(back[0], 12);
                    }
                };
                long before = THREADS.getCurrentThreadCpuTime();
                for (;;) {
                    way.link.await(1_000_000_000);
                    while (way.link.receive(receiver, 64) > 0) {
                        way.link.flush();
                    }
                    if (received[0] >= 100L * PACKETS) {
                        long now = THREADS.getCurrentThreadCpuTime();
                        System.out.println(name + " receiver: " + (now - before) / received[0] + " ns a packet");
                        received[0] = 0;
                        before = now;
                    }
                }
            });
        }
    }
}
