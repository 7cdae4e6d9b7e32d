package io.verbena.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is launched in each turn of a comparison over UDP, in this order: neighbours meet the same mood. */
enum UdpLaunch implements Launch {
    /** The floor: datagrams of the same size by the same system calls. */
    BARE("bare_lat", "bare UDP 64 B round trip"),
    /** Round trip of messages. */
    SEND("send_lat", "SEND 64 B round trip"),
    /** The same with thread-safe queues. */
    SEND_SAFE("send_lat --threading safe", "SEND 64 B round trip, SAFE"),
    /** Java's own TCP. */
    TCP("tcp_lat", "TCP 64 B round trip, NIO, busy"),
    /** Netty's TCP. */
    NETTY("netty_lat", "TCP 64 B round trip, Netty epoll, busy"),
    /** One WRITE. */
    WRITE("write_comp_lat", "WRITE 64 B, post to completion"),
    /** One READ. */
    READ("read_comp_lat", "READ 64 B, post to completion"),
    /** Bulk by verbs. */
    BULK("write_bw -s 65536 -m 4096", "WRITE 64 KiB, MTU 4096"),
    /** The same in the other direction. */
    BULK_READ("read_bw -s 65536 -m 4096", "READ 64 KiB, MTU 4096"),
    /** Bulk by nothing but the system. */
    BARE_BULK("bare_bw -s 65536 -m 4096", "bare UDP_SEGMENT + UDP_GRO"),
    /** The same without runs. */
    MMSG_BULK("mmsg_bw -s 65536 -m 4096", "bare sendmmsg + recvmmsg");

    private final String test;
    private final String title;

    UdpLaunch(String test, String title) {
        this.test = test;
        this.title = title;
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean isRate() {
        return compareTo(BULK) >= 0;
    }

    @Override
    public boolean isOurs() {
        return true;
    }

    @Override
    public boolean usesVerbs() {
        return switch (this) {
            case BARE, TCP, NETTY, BARE_BULK, MMSG_BULK -> false;
            default -> true;
        };
    }

    @Override
    public List<String> words(List<String> options) {
        List<String> words = new ArrayList<>(List.of("perf"));
        words.addAll(List.of(test.split(" ")));
        words.addAll(options);
        words.addAll(List.of("--link", "udp", "--self", "--json"));
        return words;
    }

    /** What is to be reached. */
    static List<Goal> goals() {
        return List.of(
                Goal.times("SEND 64 B round trip, p50", SEND, "p50", BARE, 1.5),
                Goal.times("SEND 64 B round trip, p50", SEND, "p50", NETTY, 1),
                Goal.times("SEND 64 B round trip, p50", SEND, "p50", TCP, 1),
                Goal.rate("WRITE 64 KiB goodput", BULK, BARE_BULK, 0.4),
                Goal.rate("WRITE 64 KiB goodput", BULK, MMSG_BULK, 1));
    }
}
