package io.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The perf tests run and report what they promise; what they measure is no matter here. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PerfCommandTest {
    private static final List<String> FIELDS = List.of("test", "link", "connection", "size", "iterations", "qps",
            "depth", "seconds",
            "latency_ns", "latency_is", "ops_per_second", "bytes_per_second", "allocated_bytes_per_op");
    private static final List<String> LATENCY_FIELDS = List.of("p50", "p90", "p99", "p999", "max");

    @ParameterizedTest
    @ValueSource(strings = {
        "send_lat -n 200 -r 1", "send_lat -n 200 -e", "send_lat -n 9 -s 1", "send_lat -n 200 -s 5000 --threading safe",
        "send_lat -n 200 -I 64", "send_lat -D 0.05", "write_lat -n 300", "write_lat -n 300 -I 128 -s 100",
        "read_lat -n 200", "read_lat -n 50 -s 100000", "read_lat -n 50 -e", "atomic_lat -n 200",
        "write_comp_lat -n 200", "write_comp_lat -n 99 -I 64", "read_fresh_lat -n 200 -s 100",
        "read_comp_lat -n 77", "atomic_comp_lat -n 64",
        "atomic_lat -n 200 -A CMP_AND_SWAP -s 8", "bare_lat -n 200 -s 64", "bare_lat -n 10 -s 8m",
        "send_bw -n 3000 -s 64", "send_bw -n 2000 -s 64 -q 3 -t 8 -r 16 -l 4 -Q 8", "send_bw -n 500 -s 64 -e",
        "write_bw -n 1000", "write_bw -n 1000 -s 64 -t 7 -l 3 -Q 5 -q 2 -I 64", "write_bw -n 1 -q 4",
        "write_bw -n 1000 -s 64 -e -Q 1", "read_bw -n 500 -s 4096 -m 4096", "read_bw -D 0.05 -s 64 -t 1",
        "atomic_bw -n 1000", "atomic_bw -n 1000 -A CMP_AND_SWAP -l 2 -u 0", "write_bw -n 9 -s 3 -c RC --self",
        "send_lat -n 300 -c UC", "send_lat -n 300 -c UD --use-srq", "send_lat -n 300 --use-srq -e",
        "write_lat -n 300 -c uc", "write_bw -n 500 -c UC", "send_bw -n 3000 -c UD -q 3 -r 5 -l 2 -t 8 -Q 8",
        "send_bw -n 3000 -c UC -s 64 -r 3", "send_bw -n 3000 --use-srq -q 3 -s 64 -r 4 -t 9 -Q 9",
        "send_bw -n 3000 -c ud --use-srq -q 2 -s 100 --threading safe"
    })
    void printsOneObjectWithAllFields(String line) {
        Outcome outcome = Outcome.ofLine("perf " + line + " --warmup 0.02 --json");
        assertEquals(0, outcome.status(), outcome.toString());
        assertEquals(1, outcome.lines().size(), outcome.toString());
        Map<String, Object> result = JsonReader.object(outcome.lines().getFirst());
        assertEquals(FIELDS, new ArrayList<>(result.keySet()));
        assertEquals(line.substring(0, line.indexOf(' ')), result.get("test"));
        assertEquals("loopback", result.get("link"));
        Map<?, ?> latency = (Map<?, ?>) result.get("latency_ns");
        assertEquals(LATENCY_FIELDS, new ArrayList<>(latency.keySet()));
        double before = 0;
        for (String field : LATENCY_FIELDS) {
            double value = (Double) latency.get(field);
            assertTrue(value >= before, outcome.out());
            before = value;
        }
        double iterations = (Double) result.get("iterations");
        double seconds = (Double) result.get("seconds");
        assertTrue(iterations >= 1 && seconds > 0, outcome.out());
        double size = (Double) result.get("size");
        assertEquals(size, (Double) result.get("bytes_per_second") / (Double) result.get("ops_per_second"),
                size / 1_000);
        assertTrue((Double) result.get("allocated_bytes_per_op") >= 0, outcome.out());
    }

    @Test
    void doesExactlyTheIterationsAskedFor() {
        Map<String, Object> result = JsonReader.object(
                Outcome.ofLine("perf write_bw -n 1234 -q 5 -t 9 --warmup 0 --json").lines().getFirst());
        assertEquals(1234.0, result.get("iterations"));
        assertEquals(5.0, result.get("qps"));
        assertEquals(9.0, result.get("depth"));
        assertEquals("post to completion", result.get("latency_is"));
    }

    @Test
    void scaleReportsWhatOneOfManyCosts() {
        Map<String, Object> result = JsonReader.object(
                Outcome.ofLine("perf scale -q 100 -t 8 -D 0.01 --json").lines().getFirst());
        assertEquals(200.0, result.get("qps"));
        assertEquals(8.0, result.get("depth"));
        assertEquals(400.0, ((Map<?, ?>) result.get("own_cqs")).get("cqs"));
        assertEquals(2.0, ((Map<?, ?>) result.get("shared_cqs")).get("cqs"));
        for (String layout : List.of("own_cqs", "shared_cqs")) {
            Map<?, ?> many = (Map<?, ?>) result.get(layout);
            for (String field : List.of("set_up_seconds", "p50_ns", "ratio", "heap_bytes_per_qp")) {
                assertTrue((Double) many.get(field) > 0, field + " of " + many);
            }
            for (String field : List.of("off_heap_bytes_per_qp", "heap_bytes_per_cq", "off_heap_bytes_per_cq")) {
                assertTrue(Double.isFinite((Double) many.get(field)), field + " of " + many);
            }
        }
    }

    @Test
    void measuresAllSizes() {
        Outcome outcome = Outcome.ofLine("perf write_bw -a -n 3 --warmup 0 --json");
        assertEquals(0, outcome.status(), outcome.toString());
        List<Object> sizes = outcome.lines().stream().map(each -> JsonReader.object(each).get("size")).toList();
        assertEquals(23, sizes.size());
        assertEquals(2.0, sizes.getFirst());
        assertEquals((double) (1 << 23), sizes.getLast());
    }

    @ParameterizedTest
    @ValueSource(strings = {"send_lat", "write_bw -s 64", "atomic_lat", "bare_lat"})
    void printsATableForPeople(String line) {
        Outcome outcome = Outcome.ofLine("perf " + line + " -n 100 --warmup 0");
        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.out().contains(" #bytes"), outcome.toString());
        outcome.lines().forEach(text -> assertTrue(text.length() <= 100, text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"post_poll -n 1000", "bulk_cost -n 2 -s 64k", "scale -q 3 -D 0.02",
        "async_read -n 1000", "async_read -n 1000 --threading safe", "async_threads -n 20"})
    void comparisonsPrintTextAndObjects(String line) {
        Outcome text = Outcome.ofLine("perf " + line);
        assertEquals(0, text.status(), text.toString());
        Outcome json = Outcome.ofLine("perf " + line + " --json");
        assertEquals(0, json.status(), json.toString());
        assertEquals(line.substring(0, line.indexOf(' ')), JsonReader.object(json.out().strip()).get("test"));
    }

    /** Every collection of a JVM that has run many tests takes its time. */
    @Tag("ci")
    @Test
    void scaleTakesTheSmallestDepth() {
        comparisonsPrintTextAndObjects("scale -q 2 -t 2 -D 0.02");
    }
}
