package io.verbena.bench;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.agrona.CloseHelper;
import org.agrona.concurrent.AgentInvoker;

/**
 * One process's half of aeron_lat: a publication and a subscription of the IPC channel. The media driver is in the
 * server process, without threads of its own: the measuring threads do its work and that of the clients.
 */
final class AeronHalf implements Half {
    static {
        AgronaChecks.off();
    }

    private static final String CHANNEL = "aeron:ipc?term-length=1m";
    private static final int THERE = 1;
    private static final int BACK = 2;
    private static final long SETTLE_NS = TimeUnit.SECONDS.toNanos(20);
    private static final String CONNECTED = "CONNECTED";

    private final int size;
    private final boolean first;
    private final MediaDriver driver;
    private String directory;
    private Aeron aeron;
    private ExclusivePublication out;
    private Subscription in;

    AeronHalf(PerfConfig config, boolean first) {
        size = (int) config.size();
        this.first = first;
        driver = first ? null : MediaDriver.launch(new MediaDriver.Context()
                .aeronDirectoryName("/dev/shm/verbena-aeron-" + ProcessHandle.current().pid() + '-'
                        + ThreadLocalRandom.current().nextInt(1 << 20))
                .dirDeleteOnStart(true).dirDeleteOnShutdown(true).threadingMode(ThreadingMode.INVOKER)
                .printConfigurationOnStart(false));
    }

    @Override
    public String describe() {
        return first ? "-" : driver.aeronDirectoryName();
    }

    @Override
    public void join(String other) {
        // The driver works only while the other process settles.
        if (first) {
            directory = other;
        }
    }

    private void connect(String folder) {
        Aeron.Context context = new Aeron.Context().aeronDirectoryName(folder).useConductorAgentInvoker(true)
                .errorHandler(error -> { });
        if (driver != null) {
            context.driverAgentInvoker(driver.sharedAgentInvoker());
        }
        aeron = Aeron.connect(context);
        out = aeron.addExclusivePublication(CHANNEL, first ? THERE : BACK);
        in = aeron.addSubscription(CHANNEL, first ? BACK : THERE);
    }

    @Override
    public void settle(ControlChannel channel) {
        connect(first ? directory : driver.aeronDirectoryName());
        long end = System.nanoTime() + SETTLE_NS;
        boolean told = false;
        boolean heard = false;
        while (!told || !heard) {
            work(aeron, driver);
            if (!told && out.isConnected() && in.isConnected()) {
                channel.send(CONNECTED);
                told = true;
            }
            heard = heard || CONNECTED.equals(channel.poll(0));
            if (System.nanoTime() - end > 0) {
                throw new PerfException("Aeron does not connect the two processes");
            }
        }
    }

    /** What Aeron's own threads would do. */
    private static void work(Aeron aeron, MediaDriver driver) {
        aeron.conductorAgentInvoker().invoke();
        AgentInvoker invoker = driver == null ? null : driver.sharedAgentInvoker();
        if (invoker != null) {
            invoker.invoke();
        }
    }

    @Override
    public Side.Maker side(StopFlag stop, Histogram times) {
        Runnable work = () -> work(aeron, driver);
        AeronPort port = new AeronPort(out, in, size, work);
        return first ? () -> new AeronPing(stop, port, times) : () -> new AeronPong(stop, port);
    }

    @Override
    public void close() {
        CloseHelper.quietCloseAll(aeron, driver);
    }
}
