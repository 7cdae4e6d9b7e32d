package io.verbena;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Does things at random with connections and memory of its own, and knows what must come of them. */
final class ModelActor {
    private static final int PAIRS = 3;
    private static final int MOST_HELD = 40;
    private static final int STEPS_BETWEEN_LOOKS = 8;
    private static final int STEPS_OF_A_CONNECTION = 400;

    final ModelWorld world;
    final Random random;
    /** One of its own, so that it accepts nobody else's connections. */
    final RdmaServer server;
    private final int number;
    private final List<ModelPair> pairs = new ArrayList<>();
    /** Memory that no operation uses, with what it was filled with as long as it is held. */
    private final ArrayDeque<LocalMemory> held = new ArrayDeque<>();
    private long step;

    ModelActor(ModelWorld world, Random random, int number) {
        this.world = world;
        this.random = random;
        this.number = number;
        server = world.nodes[1].listen(
                Met.anyPort(), world.config, HandshakeConfig.DEFAULT, Admission.EVERYBODY);
    }

    void run(int steps) throws Exception {
        for (step = 0; step < steps && !world.isOver(); step++) {
            while (pairs.size() < PAIRS) {
                pairs.add(new ModelPair(this));
            }
            step(pairs.get(random.nextInt(PAIRS)));
            world.drive();
            if (step % STEPS_BETWEEN_LOOKS == 0) {
                pairs.forEach(ModelPair::look);
            }
        }
        for (ModelPair each : pairs) {
            each.end();
        }
        while (!held.isEmpty()) {
            freeOldest();
        }
        server.close();
    }

    private void step(ModelPair pair) throws Exception {
        if (random.nextInt(STEPS_OF_A_CONNECTION) == 0) {
            pair.end();
            pairs.remove(pair);
            return;
        }
        int what = random.nextInt(100);
        if (what < 45) {
            pair.oneSided();
        } else if (what < 55) {
            pair.atomic();
        } else if (what < 70) {
            pair.send();
        } else if (what < 82) {
            pair.receive();
        } else if (what < 87) {
            pair.giveUp();
        } else if (what < 89) {
            pair.flush();
        } else if (what < 90) {
            pair.request();
        } else {
            hold();
        }
    }

    /** Takes memory, often such as was given up in the middle of an operation, and sees later that nobody writes it. */
    private void hold() {
        if (held.size() >= MOST_HELD) {
            freeOldest();
        }
        int length = random.nextInt(4) == 0 ? 1 + random.nextInt(3_000) : ModelTarget.CELL_BYTES;
        LocalMemory memory = world.nodes[random.nextInt(2)].memory()
                .allocate(length, AllocationOptions.DEFAULT.withZeroed(random.nextBoolean()));
        memory.writable().fill(canary(memory));
        held.add(memory);
    }

    private void freeOldest() {
        LocalMemory oldest = held.poll();
        ModelWorld.check(ModelOperation.holds(oldest.readable(), canary(oldest)),
                oldest + ", which no operation was given, was written");
        oldest.close();
    }

    private byte canary(LocalMemory memory) {
        return (byte) (0x80 | number << 4 | memory.address() >>> 6 & 0xF);
    }

    @Override
    public String toString() {
        return "actor " + number + " at step " + step;
    }
}
