package io.verbena.bench;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** What both processes of a test must have been asked for, by the names of the options. */
final class Agreement {
    private static final String USER = "the user";

    private Agreement() {}

    /** What a perf test is. */
    static Map<String, String> of(PerfConfig config) {
        Map<String, String> options = begin("perf " + config.test().label(), config.path());
        RunLength length = config.length();
        QueueShape queues = config.queues();
        PerfConfig.Style style = config.style();
        options.put("--link", config.path().transport().link().label());
        options.put("the size", config.size() == PerfConfig.ALL_SIZES ? "-a" : "-s " + config.size());
        options.put("the length", length.iterations() > 0 ? "-n " + length.iterations() : "-D " + length.seconds());
        options.put("--warmup", Double.toString(length.warmUpSeconds()));
        options.put("-q", Integer.toString(queues.qps()));
        options.put("-t", Integer.toString(queues.txDepth()));
        options.put("-r", Integer.toString(queues.rxDepth()));
        options.put("-l", Integer.toString(queues.postList()));
        options.put("-Q", Integer.toString(queues.cqMod()));
        options.put("-I", Integer.toString(queues.inlineSize()));
        put(options, config.path());
        options.put("--threading", style.threading().name().toLowerCase(Locale.ROOT));
        options.put("-e", Boolean.toString(style.events()));
        options.put("-A", style.atomic().name());
        return options;
    }

    /** What a ping-pong is. */
    static Map<String, String> of(Pingpong.Config config) {
        Map<String, String> options = begin(config.program(), config.path());
        options.put("-s", Long.toString(config.size()));
        options.put("-r", Integer.toString(config.rxDepth()));
        options.put("-n", Integer.toString(config.iterations()));
        options.put("-q", Integer.toString(config.qps()));
        put(options, config.path());
        options.put("-e", Boolean.toString(config.waiting().events()));
        options.put("-c", Boolean.toString(config.waiting().validate()));
        return options;
    }

    private static Map<String, String> begin(String command, PathConfig path) {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("the command", command);
        if (path.transport().link() == Link.SHM) {
            options.put(USER, System.getProperty("user.name", "unknown"));
        }
        return options;
    }

    private static void put(Map<String, String> options, PathConfig path) {
        options.put("the transport", path.transport().label());
        options.put("-m", Integer.toString(path.mtu().bytes()));
        options.put("-u", Integer.toString(path.retries().timeout()));
        options.put("--retry_count", Integer.toString(path.retries().retryCount()));
        options.put("--rnr_retry", Integer.toString(path.retries().rnrRetry()));
    }
}
