package io.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** GIDs and endpoints, in numbers and in text. */
@Timeout(10)
class AddressingTest {
    private static final String LOOPBACK = "00000000000000000000ffff7f000001";

    @Test
    void mapsIpv4() throws UnknownHostException {
        InetAddress address = InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, (byte) 255});
        Gid gid = Gid.of(address);
        assertEquals(new Gid(0, 0xFFFF_C000_02FFL), gid);
        assertTrue(gid.isIpv4());
        assertEquals(address, gid.toInetAddress());
        assertEquals("::ffff:192.0.2.255", gid.toString());
        assertEquals("00000000000000000000ffffc00002ff", gid.toHex());
    }

    @Test
    void keepsIpv6() throws UnknownHostException {
        InetAddress address = InetAddress.getByName("fe80::1:2:3");
        Gid gid = Gid.of(address);
        assertEquals(new Gid(0xFE80_0000_0000_0000L, 0x0000_0001_0002_0003L), gid);
        assertFalse(gid.isIpv4());
        assertEquals(address, gid.toInetAddress());
        assertEquals("fe80:0000:0000:0000:0000:0001:0002:0003", gid.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"::", "::1", "1::", "fe80::1:2:3", "2001:db8::1:0:0:1", "2001:db8:0:1:1:1:1:1", "ff02::1",
        "1:2:3:4:5:6:7:8", "1:0:0:2::3", "0:1::", "10.0.0.255"})
    void addressIsWrittenAsUsual(String text) throws UnknownHostException {
        assertEquals(text, Gid.of(InetAddress.getByName(text)).toAddressText());
    }

    @Test
    void theEmptyGidIsNoIpv4Address() {
        assertFalse(Gid.ZERO.isIpv4());
        assertEquals("0".repeat(32), Gid.ZERO.toHex());
        assertFalse(new Gid(1, 0xFFFF_0000_0000L).isIpv4());
    }

    @Test
    void hexadecimalGoesRound() {
        for (Gid gid : new Gid[] {Gid.ZERO, new Gid(-1, -1), new Gid(Long.MIN_VALUE, 1), new Gid(1, Long.MIN_VALUE)}) {
            assertEquals(gid, Gid.ofHex(gid.toHex()));
        }
        assertEquals(Gid.ofHex("FE80000000000000ABCDEF0123456789"), Gid.ofHex("fe80000000000000abcdef0123456789"));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {
        "", "0", "0000000000000000000000000000000", "000000000000000000000000000000000",
        "0000000000000000000000000000000g", "+0000000000000000000000000000000", "0000000000000000+000000000000000",
        "-0000000000000000000000000000000", "fe80::1", " 0000000000000000000000000000000",
        "\uFF11000000000000000000000000000000\uFF11"
    })
    void refusesOtherTextAsGid(String digits) {
        VerbsException e = assertThrows(VerbsException.class, () -> Gid.ofHex(digits));
        assertEquals(Errno.EINVAL, e.errno());
        assertEquals("gid", e.argument());
    }

    @Test
    void endpointsGoRoundThroughTheTextOfPingpong() {
        QueuePairEndpoint endpoint = new QueuePairEndpoint(Gid.ofHex(LOOPBACK), 0x11, 0xA1B2C3);
        assertEquals("0000:000011:a1b2c3:" + LOOPBACK, endpoint.format());
        assertEquals(endpoint, QueuePairEndpoint.parse(endpoint.format()));
        assertEquals(endpoint, QueuePairEndpoint.parse(" 12aB:11:A1B2C3:" + LOOPBACK + "\n"));
        QueuePairEndpoint highest = new QueuePairEndpoint(new Gid(-1, -1), 0xFF_FFFF, 0xFF_FFFF);
        assertEquals(highest, QueuePairEndpoint.parse(highest.format()));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {
        "", ":::", "0000:000011:a1b2c3", "0000:000011:a1b2c3:", "0000:000011:a1b2c3:fe80::1",
        "0000::a1b2c3:" + LOOPBACK, "0000:11::" + LOOPBACK, ":11:12:" + LOOPBACK, "lid:11:12:" + LOOPBACK,
        "0000:-00011:a1b2c3:" + LOOPBACK, "0000:+00011:a1b2c3:" + LOOPBACK, "0000:000011:-1:" + LOOPBACK,
        "0000:1000000:a1b2c3:" + LOOPBACK, "0000:000011:1000000:" + LOOPBACK, "0000:11:ffffffff:" + LOOPBACK,
        "0000:000011:a1b2c3:" + LOOPBACK + ":0", "0000:000011:xyz:" + LOOPBACK
    })
    void refusesOtherTextAsEndpoint(String text) {
        VerbsException e = assertThrows(VerbsException.class, () -> QueuePairEndpoint.parse(text));
        assertEquals(Errno.EINVAL, e.errno());
    }

    @Test
    void endpointsHold24BitNumbers() {
        assertThrows(VerbsException.class, () -> new QueuePairEndpoint(Gid.ZERO, 1 << 24, 0));
        assertThrows(VerbsException.class, () -> new QueuePairEndpoint(Gid.ZERO, -1, 0));
        assertThrows(VerbsException.class, () -> new QueuePairEndpoint(Gid.ZERO, 0, 1 << 24));
        assertThrows(VerbsException.class, () -> new QueuePairEndpoint(Gid.ZERO, 0, -1));
        assertThrows(VerbsException.class, () -> new QueuePairEndpoint(null, 0, 0));
    }
}
