package io.verbena.bench;

import io.verbena.verbs.QueuePairEndpoint;
import io.verbena.verbs.VerbsException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Two processes of this program tell each other their queue pairs through a {@link Meeting}. */
final class MeetingIntroduction implements Introduction {
    private static final String ENDS = "ENDS";

    private final Meeting meeting;
    private final ControlChannel channel;

    MeetingIntroduction(Meeting meeting) {
        this.meeting = meeting;
        channel = meeting.channel();
    }

    @Override
    public boolean isServer() {
        return meeting.isServer();
    }

    @Override
    public void exchange(List<QueuePairEndpoint> own, Consumer<List<QueuePairEndpoint>> connect) {
        String line = ENDS + ' ' + own.stream().map(QueuePairEndpoint::format).collect(Collectors.joining(","));
        if (isServer()) {
            connect.accept(hear(own.size()));
            channel.send(line);
        } else {
            channel.send(line);
            connect.accept(hear(own.size()));
        }
    }

    private List<QueuePairEndpoint> hear(int count) {
        String text = channel.expect(ENDS, ControlChannel.ANSWER_MS);
        try {
            List<QueuePairEndpoint> ends = Arrays.stream(text.split(",")).map(QueuePairEndpoint::parse).toList();
            if (ends.size() == count) {
                return ends;
            }
        } catch (VerbsException e) {
            // Told below.
        }
        throw new PerfException("the " + channel.other() + " process describes no " + count + " queue pairs");
    }

    @Override
    public void watch(StopFlag stop) {
        channel.watch(stop);
    }

    @Override
    public void finish() {
        channel.finish();
    }

    @Override
    public PerfException giveUp(PerfException why) {
        return channel.giveUp(why);
    }

    @Override
    public void close() {
        channel.watch(null);
    }
}
