package io.verbena;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Mtu;
import org.junit.jupiter.api.Test;

/** What breaks at one end while connecting is told to the other one, instead of letting it run into its time limit. */
class D11ErrorsReachBothEndsTest {
    @EveryLink
    void aProgramThatThrowsIsHeardByTheClientAtOnce(String link) throws Exception {
        Admission broken = request -> {
            throw new IllegalStateException("the database is down");
        };
        try (var met = new Met(link, ConnectionConfig.DEFAULT, HandshakeConfig.DEFAULT, broken)) {
            var asked = met.ask();
            assertTrue(Met.failure(asked).getMessage().contains("the database is down"));
            met.bothFail(RdmaConnectException.Kind.FAILED, asked);
        }
    }

    @Test
    void aQueuePairThatTheServerCannotMakeIsHeardByTheClientAtOnce() throws Exception {
        var tooMuch = ConnectionConfig.DEFAULT.withTransport(TransportConfig.DEFAULT
                .withPath(PathConfig.DEFAULT.withMtu(Mtu.MTU_4096)));
        try (var met = new Met("soft?link=udp&bind={address}&mtu=1024", tooMuch, HandshakeConfig.DEFAULT,
                Admission.EVERYBODY)) {
            var asked = met.asking.connect(met.server.address(), tooMuch, HandshakeConfig.DEFAULT);
            var e = Met.failure(asked);
            assertTrue(e.getMessage().contains("mtu") || e.getMessage().contains("MTU"), e.getMessage());
            met.bothFail(RdmaConnectException.Kind.FAILED, asked);
        }
    }
}
