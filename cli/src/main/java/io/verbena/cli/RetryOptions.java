package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.OptionRange;
import io.verbena.bench.Retries;
import picocli.CommandLine.Option;

/** How long and how often a reliable connection tries, by perftest's names where it has one. */
final class RetryOptions {
    @Option(names = {"-u", "--qp-timeout"}, paramLabel = "CODE",
            description = "Local ACK timeout, 4.096 us * 2^CODE (default 14, which is 67 ms; RC).")
    private String timeout;

    @Option(names = "--retry_count", paramLabel = "N",
            description = "Tries for want of an answer before the connection fails, 0 to 7 (default 7; RC).")
    private String retryCount;

    @Option(names = "--rnr_retry", paramLabel = "N",
            description = "Tries for want of a receive, 0 to 7; 7, the default, tries without end (RC).")
    private String rnrRetry;

    /** Refuses them where nothing is acknowledged. */
    void refuse(String service) {
        refuse(service, "-u", timeout);
        refuse(service, "--retry_count", retryCount);
        refuse(service, "--rnr_retry", rnrRetry);
    }

    private static void refuse(String service, String option, String given) {
        if (given != null) {
            throw new BadOptionException(option + " does not go with " + service
                    + "; only RC waits for acknowledgements");
        }
    }

    /** What they say; a receiver without a receive asks for a wait of this code. */
    Retries retries(int minRnrTimer) {
        Retries usual = Retries.DEFAULT;
        return new Retries(DeviceOptions.number(OptionRange.TIMEOUT, timeout, usual.timeout()),
                DeviceOptions.number(OptionRange.RETRY_COUNT, retryCount, usual.retryCount()),
                DeviceOptions.number(OptionRange.RNR_RETRY, rnrRetry, usual.rnrRetry()), minRnrTimer);
    }
}
