package io.verbena.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One object on one line. */
@Timeout(value = 10, unit = TimeUnit.SECONDS)
class JsonTest {
    @Test
    void writesFieldsInOrder() {
        Json inner = new Json().put("x", true);
        assertEquals("{\"a\": 1, \"b\": \"t\", \"c\": {\"x\": true}, \"d\": [{\"x\": true}, {}]}",
                new Json().put("a", 1).put("b", "t").put("c", inner).put("d", List.of(inner, new Json())).toString());
    }

    @Test
    void escapesTexts() {
        assertEquals("{\"a\": \"\\\"\\\\\\u000a\\u00e4\"}", new Json().put("a", "\"\\\n\u00e4").toString());
    }

    @Test
    void writesNumbersWithoutExponent() {
        assertEquals("{\"a\": 12345678901.5, \"b\": 0.000100000, \"c\": null}",
                new Json().put("a", 12_345_678_901.5).put("b", 1e-4).put("c", Double.NaN).toString());
    }
}
