package io.verbena.bench;

import io.verbena.verbs.Context;
import io.verbena.verbs.Devices;
import java.util.List;
import java.util.function.Consumer;

/** Runs the tests of {@link PerfTest}: sets up, warms up, measures, one message size after another. */
public final class PerfRunner {
    private static final double TRIAL_SECONDS = 0.2;
    private static final double CODE_SECONDS = 0.5;
    private static final double LATER_WARM_UP = 0.2;
    private static final long LARGE = 16_384;
    private static final long SMALL = 4_096;

    private final PerfConfig config;
    private final Progress progress;
    private final Meeting meeting;
    private boolean spinHint = true;

    /**
     * Makes a runner and checks the configuration against the device, which nothing else does before running.
     *
     * @param config what to measure
     * @param progress told how far it is
     * @throws BadOptionException when the device can't do what is asked
     * @throws io.verbena.verbs.VerbsException when the device can't be opened
     */
    public PerfRunner(PerfConfig config, Progress progress) {
        this(config, null, progress);
    }

    /**
     * Makes a runner whose second half is in another process.
     *
     * @param config what to measure; the other process must have been asked for the same
     * @param meeting with the server; null when both halves are here
     * @param progress told how far it is
     * @throws BadOptionException when the device can't do what is asked
     * @throws io.verbena.verbs.VerbsException when the device can't be opened
     */
    public PerfRunner(PerfConfig config, Meeting meeting, Progress progress) {
        this.config = config;
        this.progress = progress;
        this.meeting = meeting;
        check(config);
        if (meeting != null) {
            meeting.agree(Agreement.of(config));
        }
    }

    /**
     * Checks a configuration against the device.
     *
     * @param config what is to be measured
     * @throws BadOptionException when the device can't do what is asked
     * @throws io.verbena.verbs.VerbsException when the device can't be opened
     */
    public static void check(PerfConfig config) {
        if (config.test().usesVerbs()) {
            try (Context context = Devices.open(config.device())) {
                Rig.check(config, context.queryDevice(), context.queryPort(config.path().port()));
                context.queryGid(config.path().port(), config.path().gidIndex());
            }
        }
    }

    /**
     * Measures.
     *
     * @param results given the result of each size as soon as it is there
     * @throws PerfException when an operation fails
     * @throws io.verbena.verbs.VerbsException when the device refuses something
     */
    public void run(Consumer<PerfResult> results) {
        List<Long> sizes = config.sizes();
        if (config.test() == PerfTest.BARE_LAT) {
            spinHint = chooseSpinHint(config.withSize(sizes.getFirst()));
        }
        for (long size : sizes) {
            PerfConfig one = config.withSize(size);
            if (size != sizes.getFirst()) {
                one = one.withLength(later(config.length()));
            } else if (size > LARGE) {
                warmCode(one);
            }
            try (TestRig rig = rig(one, spinHint)) {
                PerfResult result = rig.measure(one, progress);
                results.accept(result);
                tell(TestServer.RESULT + ' ' + result.toWords());
            }
        }
        tell(TestServer.END + ' ' + spinHint);
    }

    private TestRig rig(PerfConfig one, boolean hint) {
        if (meeting != null) {
            return ClientRig.of(one, hint, meeting);
        }
        return config.test().usesVerbs() ? Rig.of(one) : Rig.bare(one, hint);
    }

    private void tell(String line) {
        if (meeting != null) {
            meeting.channel().send(line);
        }
    }

    /** The code is warm after the first size. */
    private static RunLength later(RunLength length) {
        return length.withWarmUp(Math.min(length.warmUpSeconds(), LATER_WARM_UP));
    }

    /** Large operations are too slow to get the code compiled, so that smaller ones go first. */
    private void warmCode(PerfConfig large) {
        double seconds = Math.min(large.length().warmUpSeconds(), CODE_SECONDS);
        PerfConfig small = large.withSize(SMALL).withLength(RunLength.ofIterations(1).withWarmUp(seconds));
        try (TestRig rig = rig(small, spinHint)) {
            rig.measure(small, progress);
        }
    }

    private boolean chooseSpinHint(PerfConfig bare) {
        PerfConfig trial = bare.withLength(RunLength.ofSeconds(TRIAL_SECONDS)
                .withWarmUp(Math.min(bare.length().warmUpSeconds(), TRIAL_SECONDS)));
        return trial(trial, true) <= trial(trial, false);
    }

    private long trial(PerfConfig trial, boolean hint) {
        try (TestRig rig = rig(trial, hint)) {
            return rig.measure(trial, progress).latency().p50();
        }
    }

    /**
     * Whether the waits of bare_lat use Thread.onSpinWait: whichever was faster here. Known after {@link #run}.
     *
     * @return true when they do
     */
    public boolean spinHint() {
        return spinHint;
    }
}
