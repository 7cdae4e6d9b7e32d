package io.verbena;

/** A message of a {@link ModelPair}, and what is known of it. */
final class ModelMessage {
    final int number;
    final int length;
    /** Its sender was told that it has arrived. */
    boolean sure;
    private boolean skipped;

    ModelMessage(int number, int length) {
        this.number = number;
        this.length = length;
    }

    byte fill() {
        return (byte) (number * 31 + 7);
    }

    /** Its sender was told of its end. */
    void ended(boolean arrived) {
        sure |= arrived;
        ModelWorld.check(!sure || !skipped, () -> this + " ended in success, but a later one had arrived before it");
    }

    /** A later one has arrived. */
    void overtaken(boolean closing) {
        skipped = !closing;
        ModelWorld.check(!sure || closing, () -> this + " did not arrive, but a later one has");
    }

    /** It is the one that was received. */
    void check(ReceivedMessage received) {
        ModelWorld.check(received.length() == length, this + " arrived with " + received.length() + " bytes");
        ModelWorld.check(ModelOperation.holds(received.segment(), fill()), this + " arrived with other bytes");
    }

    @Override
    public String toString() {
        return "message " + number + " of " + length + " bytes" + (sure ? ", arrived" : "")
                + (skipped ? ", overtaken" : "");
    }
}
