package io.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every bad argument: exit status 2, nothing printed as a result, one line that says what is wrong and allowed. */
@Timeout(value = 30, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BadArgumentsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            pingpong ud --self --link shm          | UD does not go with --link shm
            pingpong rc --link shm --self -p 5     | -p 5 does not go with --self
            pingpong rc --link shm 10.1.2.3        | HOST is 10.1.2.3; allowed: localhost
            perf send_lat -p 5                     | -p does not go with --link loopback
            perf send_lat --link shm 10.1.2.3      | HOST is 10.1.2.3; allowed: localhost
            perf send_lat --link shm a..b          | HOST is "a..b"; allowed: a host name
            perf send_lat --link shm --self ::1    | --self does not go with a host
            perf send_lat --link shm --self -p 5   | -p 5 does not go with --self
            perf send_lat --link shm -p 0          | -p is 0; allowed: 1 to 65535
            perf send_lat --link shm --self -c UD  | UD does not go with --link shm
            perf send_bw --link shm -c UC          | -c UC does not go with send_bw --link shm
            perf read_fresh_lat -e                 | -e does not go with read_fresh_lat
            perf post_poll --link shm              | post_poll has both ends in this process
            perf aeron_lat                         | --link loopback does not go with aeron_lat; only shm does
            perf ring_bw --link shm -q 2           | -q does not go with ring_bw
            perf copy_bw --link shm                | --link shm does not go with copy_bw; only loopback does
            perf aeron_lat --link shm -s 1m        | -s is 1048576; allowed: 1 to 8192 bytes for aeron_lat
            perf ring_bw --link shm -a             | -a does not go with ring_bw
            perf read_fresh_lat -s 16m             | -s is 16777216; allowed: 1 to 8388608 bytes for read_fresh_lat
            compare --link shm --qp 3              | --qp does not go with compare --link shm without tests
            compare --link shm --launches 0        | --launches is 0; allowed: 1 to
            compare --link shm -D 0                | -D is 0.0; allowed: more than 0
            shm                                    | WHAT is missing; allowed: ls
            shm rm                                 | rm
            shm ls extra                           | extra
            """)
    void ofTwoProcessesIsRefusedInOneLine(String line, String expected) {
        check(line, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            bogus                                  | unknown command "bogus"; allowed: compare, demo
            --bogus                                | --bogus
            devices extra                          | extra
            devices --bogus                        | --bogus
            devinfo -d bogus                       | no device named "bogus"
            devinfo -d                             | parameter
            devinfo -d soft?bogus=1                | bogus
            devinfo -d soft?=                      | NAME?key=value
            devinfo -i 0                           | -i is 0; allowed: 1 to
            devinfo -i 9                           | -i is 9; allowed: 1 to 1
            devinfo -i x                           | -i is "x"; allowed: 1 to
            devinfo -l -v                          | does not go with
            demo -D 0                              | -D is 0.0; allowed: more than 0
            demo -D -1                             | -D is -1.0; allowed
            demo -D soon                           | -D is "soon"; allowed
            demo -D 1d                             | -D is "1d"; allowed
            demo -D NaN                            | -D is "NaN"; allowed
            demo -D 1e9                            | -D is 1.0E9; allowed
            demo -d bogus                          | no device named "bogus"
            """)
    void ofToolsIsRefusedInOneLine(String line, String expected) {
        check(line, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            pingpong                               | SERVICE is missing; allowed: rc, uc, ud, srq
            pingpong uc                            | give --self
            pingpong ud --self -s 4097             | -s is 4097; allowed: up to 4096
            pingpong ud --self -m 512              | -m does not go with ud; a datagram is one packet
            pingpong ud --self -q 2                | -q goes with srq only
            pingpong srq --self -q 0               | -q is 0; allowed: 1 to
            pingpong srq --self -r 40000           | -r is 40000; allowed: 1 to
            pingpong bogus                         | SERVICE is "bogus"; allowed: rc, uc, ud, srq
            pingpong bogus --link udp --self       | SERVICE is "bogus"; allowed: rc, uc, ud, srq
            pingpong --link udp --self             | SERVICE is missing before --link; allowed: rc, uc, ud, srq
            pingpong rc                            | give --self
            pingpong rc --self 10.0.0.1            | HOST is 10.0.0.1, but
            pingpong rc 1.2.3.4.5                  | HOST is "1.2.3.4.5"; allowed: a host name
            pingpong rc 1.2.3.400                  | HOST is "1.2.3.400"; allowed
            pingpong rc fe80:::1                   | HOST is "fe80:::1"; allowed
            pingpong rc ::ffff:1.2.3.400           | HOST is "::ffff:1.2.3.400"; allowed
            pingpong rc -bogus-                    | -bogus-
            pingpong rc --self -s -1               | -s is -1; allowed: 0 to
            pingpong rc --self -s 3g               | -s is 3g; allowed: 0 to
            pingpong rc --self -n 0                | -n is 0; allowed: 1 to
            pingpong rc --self -n -5               | -n is -5; allowed: 1 to
            pingpong rc --self -r 0                | -r is 0; allowed: 1 to
            pingpong rc --self -m 1000             | -m is "1000"; allowed: 256, 512
            pingpong rc --self -p 0                | -p is 0; allowed: 1 to 65535
            pingpong rc --self -p 65536            | -p is 65536; allowed: 1 to 65535
            pingpong rc --self -l 8                | -l is 8; allowed: 0 to 7
            pingpong rc --self -i 2                | port
            pingpong rc --self -g 15               | ENODATA
            pingpong rc --self -g 4000             | 4000
            pingpong rc --self -t                  | -t: this device has no completion timestamps
            pingpong rc --self -N                  | -N: there is one post API here
            pingpong rc --self --bind 127.0.0.1    | --bind does not go with --link loopback; only udp has packets
            pingpong rc --self --pcap x            | --pcap does not go with --link loopback; only udp has packets
            pingpong rc --self --link udp -p 5     | -p 5 does not go with --self
            pingpong rc --link udp --self 10.1.2.3 | --self does not go with a host
            pingpong rc --link udp a..b            | HOST is "a..b"; allowed: a host name
            pingpong rc --link udp --bind host     | --bind is "host"; allowed: an IPv4 or IPv6 address of this host
            pingpong rc --link udp --bind 10.1     | --bind is "10.1"; allowed: an IPv4 or IPv6 address of this host
            pingpong rc --link udp --pcap a&b=c    | --pcap is "a&b=c"; allowed: the path of a file, without &
            pingpong rc --link udp --self --bind ::1  | --bind does not go with --self
            pingpong ud --link udp -m 512          | -m does not go with ud
            pingpong rc --self -u 32               | -u is 32; allowed: 0 to 31
            pingpong srq --self --retry_count 8    | --retry_count is 8; allowed: 0 to 7
            pingpong rc --self --rnr_retry -1      | --rnr_retry is -1; allowed: 0 to 7 tries, 7 tries without end
            pingpong uc --self -u 14               | -u does not go with uc; only RC waits
            pingpong ud --self --retry_count 1     | --retry_count does not go with ud; only RC waits
            pingpong rc --self --link bogus        | --link is "bogus"; allowed: loopback, shm, udp
            pingpong rc --self -d bogus            | no device named "bogus"
            """)
    void ofPingpongIsRefusedInOneLine(String line, String expected) {
        check(line, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            perf                                   | TEST is missing; allowed: send_lat
            perf bogus                             | TEST is "bogus"; allowed: send_lat
            perf SEND_LAT                          | TEST is "SEND_LAT"; allowed: send_lat
            perf send_lat 10.0.0.1                 | HOST is 10.0.0.1, but
            perf send_lat 10.0.0                   | HOST is "10.0.0"; allowed
            perf send_lat -s 0                     | -s is 0; allowed: 1 to
            perf send_lat -s -1                    | -s is -1; allowed: 1 to
            perf send_lat -s 3g                    | -s is 3g; allowed: 1 to
            perf send_lat -s 99999999999999999999  | -s is "99999999999999999999"; allowed
            perf send_lat -s 9999999999999999g     | -s is "9999999999999999g"; allowed
            perf send_lat -s 0x40                  | -s is "0x40"; allowed
            perf send_lat -s k                     | -s is "k"; allowed
            perf send_lat -s                       | parameter
            """)
    void ofPerfIsRefusedInOneLine(String line, String expected) {
        check(line, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            perf send_lat -n -5                    | -n is -5; allowed: 1 to
            perf send_lat -n 0                     | -n is 0; allowed: 1 to
            perf send_lat -n many                  | -n is "many"; allowed: 1 to
            perf send_lat -n 1.5                   | -n is "1.5"; allowed: 1 to
            perf send_lat -n 10 -D 1               | -n and -D contradict each other
            perf send_lat -a -s 64                 | -a and -s contradict each other
            perf send_lat --link shm -d soft?link=loopback | -d soft?link=loopback contradicts --link shm
            perf send_lat -D 0                     | -D is 0.0; allowed: more than 0
            perf send_lat -D 1e9                   | -D is 1.0E9; allowed: more than 0, up to 86400
            perf send_lat --warmup -1              | --warmup is -1.0; allowed: 0 to 600
            perf send_lat -q 2                     | -q does not go with send_lat
            perf send_lat -l 2                     | -l does not go with send_lat
            perf send_lat -Q 2                     | -Q does not go with send_lat
            perf send_lat -A FETCH_AND_ADD         | -A does not go with send_lat
            perf send_lat -m 1500                  | -m is "1500"; allowed: 256, 512
            perf send_lat -u 32                    | -u is 32; allowed: 0 to 31
            perf read_lat -c UC                    | -c UC does not go with read_lat
            perf write_bw -c UD                    | -c UD does not go with write_bw
            perf send_lat -c UD -m 512             | -m does not go with -c UD; a datagram is one packet
            perf send_bw -c ud -m 1024             | -m does not go with -c UD; a datagram is one packet
            perf send_bw -c UD -u 10               | -u does not go with -c UD; only RC waits
            perf write_bw -c UC -u 14              | -u does not go with -c UC; only RC waits
            perf write_bw -c UC --rnr_retry 1      | --rnr_retry does not go with -c UC; only RC waits
            perf send_bw --retry_count x           | --retry_count is "x"; allowed: 0 to 7 tries
            perf send_bw -c UD -s 4097             | -s is 4097; allowed: up to 4096
            perf send_bw -c UD -a                  | -a does not go with -c UD
            perf send_lat -c UC --use-srq          | --use-srq does not go with UC
            perf write_lat --use-srq               | --use-srq does not go with write_lat
            perf send_lat -c XRC                   | -c is XRC; allowed: RC, UC, UD
            perf send_lat -c bogus                 | -c is "bogus"; allowed: RC, UC, UD
            perf send_lat --threading many         | --threading is "many"; allowed: single, safe
            perf send_lat -d bogus                 | no device named "bogus"
            perf send_lat -d soft?progress=bogus   | bogus
            perf send_lat -I 1025                  | -I is 1025; allowed: up to 1024 bytes on this device
            perf send_lat -I 65537                 | -I is 65537; allowed: up to 1024 bytes on this device
            perf write_bw -t 65537                 | -t is 65537; allowed: up to 65536 work requests on this device
            perf send_lat -i 7                     | port
            perf send_lat -x 4000                  | 4000
            perf send_lat --bogus                  | --bogus
            perf send_lat -n 1 -n 2                | should be specified only once
            """)
    void ofSendLatIsRefusedInOneLine(String line, String expected) {
        check(line, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            perf send_lat --bind 127.0.0.1         | --bind does not go with --link loopback; only udp has packets
            perf send_lat --link shm --pcap x      | --pcap does not go with --link shm; only udp has packets
            perf send_lat --link udp --self -p 5   | -p 5 does not go with --self
            perf send_lat --link udp 10.0.0        | HOST is "10.0.0"; allowed
            perf write_lat --link udp -a --pcap x  | --pcap does not go with -a
            perf send_bw --link udp -c UC          | -c UC does not go with send_bw --link udp
            perf send_bw --link udp -c UD          | -c UD does not go with send_bw --link udp
            perf bare_lat --link udp -s 4097       | -s is 4097; allowed: 1 to 4096 bytes for bare_lat --link udp
            perf bare_lat --link udp -a            | -a does not go with bare_lat --link udp
            perf bare_lat --link udp --pcap x      | --pcap does not go with bare_lat, which uses no verbs
            perf tcp_lat                           | --link loopback does not go with tcp_lat; only udp does
            perf bare_bw --link shm                | --link shm does not go with bare_bw; only udp does
            compare --link udp -s 64               | --size does not go with compare --link udp without tests
            perf copy_bw --link udp                | --link udp does not go with copy_bw; only loopback does
            perf send_lat --link bogus             | --link is "bogus"; allowed: loopback, shm, udp
            """)
    void ofLinksIsRefusedInOneLine(String line, String expected) {
        check(line, expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            perf write_lat -e                      | -e does not go with write_lat
            perf write_lat -r 5                    | -r does not go with write_lat
            perf read_lat -I 64                    | -I does not go with read_lat
            perf atomic_lat -s 16                  | -s 16 does not go with atomic_lat; atomics have 8 bytes
            perf atomic_bw -a                      | -a does not go with atomic_bw
            perf atomic_bw -A SWAP                 | -A is "SWAP"; allowed: CMP_AND_SWAP, FETCH_AND_ADD
            perf bare_lat -s 8388609               | -s is 8388609; allowed: 1 to 8388608
            perf bare_lat -t 2                     | -t does not go with bare_lat
            perf bare_lat -I 8                     | -I does not go with bare_lat
            perf write_bw -t 0                     | -t is 0; allowed: 1 to
            perf write_bw -q 100000                | -q is 100000; allowed: 1 to
            perf write_bw -q 0                     | -q is 0; allowed: 1 to
            perf write_bw -l 0                     | -l is 0; allowed: 1 to
            perf write_bw -t 16 -l 17              | -l is 17; allowed: 1 to 16
            perf write_bw -t 16 -Q 17              | -Q is 17; allowed: 1 to 16
            perf write_bw -q 1000 -s 1g            | allowed: up to
            perf send_bw -r 0                      | -r is 0; allowed: 1 to
            perf send_bw -q 16384 -r 16384         | completions
            perf send_bw -c UC -r 4 -l 5           | -l is 5; allowed: 1 to 4, the receives given by -r, since UC loses
            perf send_bw -c UD -r 4 -l 5           | -l is 5; allowed: 1 to 4, the receives given by -r, since UD loses
            perf post_poll -s 2m                   | -s is 2m; allowed: 1 to 1048576
            perf post_poll -q 2                    | -q does not go with post_poll
            perf scale -n 5                        | -n does not go with scale
            perf scale -q 100000                   | -q is 100000; allowed: 1 to
            perf scale -t 1                        | -t is 1; allowed: 2 to
            compare send_lat                       | two tests are needed
            compare send_lat bogus                 | TEST is "bogus"
            compare send_lat bare_lat --launches 0 | --launches is 0; allowed: 1 to
            compare send_lat bare_lat -s 0         | -s is 0; allowed: 1 to
            compare send_lat bare_lat -a           | -a does not go with compare
            compare send_lat post_poll             | TEST is "post_poll"
            stat extra                             | extra
            stat -d bogus                          | open software NIC named bogus
            stat --pid 0                           | --pid is 0; allowed: 1 to
            stat --pid x                           | --pid is "x"; allowed: 1 to
            stat --top 0                           | --top is 0; allowed: 1 to
            stat --by size                         | --by is "size"; allowed: qpn, bytes, ops, errors, rnr, retries
            stat --interval 0                      | --interval is 0.0; allowed: more than 0
            stat --interval soon                   | --interval is "soon"; allowed
            stat --interval 1 --count 0            | --count is 0; allowed: 1 to
            stat --count 2                         | --count goes with --interval only
            stat --dir /nowhere/at/all             | --dir is "/nowhere/at/all"; allowed: the path of a folder
            """)
    void ofOtherMeasurementsIsRefusedInOneLine(String line, String expected) {
        check(line, expected);
    }

    private static void check(String line, String expected) {
        Outcome outcome = Outcome.ofLine(line);
        assertEquals(2, outcome.status(), outcome.toString());
        assertEquals("", outcome.out(), outcome.toString());
        assertEquals(1, outcome.err().lines().count(), outcome.toString());
        assertTrue(outcome.err().contains(expected), () -> "expected " + expected + "\n" + outcome);
        assertTrue(outcome.err().startsWith("verbena"), outcome.toString());
        assertFalse(outcome.err().contains("Exception"), outcome.toString());
    }

    @Test
    void optionsOfOneCompareSideAreCheckedBeforeAnythingRuns() {
        Outcome outcome = Outcome.of("compare", "send_lat -I 99999", "bare_lat");
        assertEquals(2, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains("-I is 99999; allowed: up to 1024 bytes on this device"), outcome.toString());
    }
}
