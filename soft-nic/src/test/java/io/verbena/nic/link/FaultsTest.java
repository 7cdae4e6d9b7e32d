package io.verbena.nic.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Faults and sockets as settings. */
class FaultsTest {
    @Test
    void readsEveryFault() {
        Faults faults = Faults.parse("loss:0.05,dup:0.02,reorder:1,damage:0.01,delay:1e-3,seed:-7");
        assertEquals(new Faults(0.05, 0.02, 1, 0.01, 0.001, -7), faults);
        assertEquals(faults, Faults.parse(faults.toString()));
        assertEquals(new Faults(0, 0.5, 0, 0, 0, 0), Faults.parse("dup:0.5"));
        assertTrue(Faults.parse("seed:5").isNone());
        assertTrue(!Faults.parse("delay:0.1").isNone());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "loss:1.5 | loss is 1.5; allowed: a share",
        "loss:-0.1 | loss is -0.1; allowed: a share",
        "dup:NaN | dup is NaN",
        "delay:x | delay is \"x\"",
        "seed:1.5 | seed is \"1.5\"",
        "los:0.1 | about los; allowed: loss, dup",
        "loss | see \"loss\"",
        "loss:0.1,,dup:0.1 | see \"\"",
        "loss:0.1,loss:0.1 | see \"loss:0.1\"",
        ":0.1 | see \":0.1\"",
    })
    void saysWhatIsWrong(String text, String words) {
        VerbsException failure = assertThrows(VerbsException.class, () -> Faults.parse(text));
        assertEquals(Errno.EINVAL, failure.errno());
        assertTrue(failure.getMessage().contains(words), failure.getMessage());
    }

    @Test
    void readsSockets() {
        for (SocketKind kind : SocketKind.values()) {
            assertEquals(kind, SocketKind.parse(kind.setting()));
        }
        VerbsException failure = assertThrows(VerbsException.class, () -> SocketKind.parse("java"));
        assertTrue(failure.getMessage().contains("auto, native, portable"), failure.getMessage());
    }
}
