package io.verbena.async.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Credits: nobody sends more than the peer has receives for, and nobody waits for ever. */
class CreditsTest {
    /** One end over a wire that keeps the order, with receives that are counted. */
    private static final class End {
        final Credits credits;
        final int messages;
        final ArrayDeque<int[]> wire = new ArrayDeque<>();
        int free;
        int held;
        int taken;
        boolean owes;

        End(int messages) {
            this.messages = messages;
            free = messages + Credits.CONTROL;
            credits = new Credits(free);
        }

        void send(int kind) {
            wire.add(new int[] {kind, credits.advertise()});
        }

        void arrive(End from) {
            int[] frame = from.wire.poll();
            if (frame == null) {
                return;
            }
            assertTrue(free > 0, "a frame found no receive: " + from.credits);
            free--;
            owes |= credits.arrived();
            assertTrue(credits.granted(frame[1]));
            if (frame[0] == 0) {
                held++;
            } else {
                free++;
                owes |= credits.grant();
            }
        }

        void take() {
            if (held > 0) {
                held--;
                taken++;
                free++;
                owes |= credits.grant();
            }
        }

        void tellIfOwed() {
            if (owes) {
                owes = false;
                if (credits.owes()) {
                    if (credits.takeGrant()) {
                        send(2);
                    } else {
                        owes = true;
                    }
                }
            }
        }
    }

    @Test
    void messagesLeaveTheReceivesThatAreKept() {
        Credits credits = new Credits(20);
        credits.opened(4 + Credits.CONTROL);
        for (int i = 0; i < 4; i++) {
            assertTrue(credits.takeMessage());
        }
        assertFalse(credits.takeMessage());
        for (int i = 0; i < Credits.CONTROL - 1; i++) {
            assertTrue(credits.takeControl());
        }
        assertFalse(credits.takeControl());
        assertTrue(credits.takeGrant());
        assertFalse(credits.takeGrant());
        credits.giveBack();
        assertTrue(credits.takeGrant());
    }

    @Test
    void aGrantOfMoreThanThePeerHasIsFound() {
        Credits credits = new Credits(20);
        credits.opened(20);
        assertTrue(credits.granted(20));
        assertFalse(credits.granted(21), "nothing was sent, so nothing can have come back");
        assertTrue(credits.takeMessage());
        assertTrue(credits.granted(21));
        assertTrue(credits.granted(20), "an older one says nothing");
    }

    @Test
    void anyOrderOfStepsKeepsWithinTheReceivesAndEveryMessageArrives() {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            End a = new End(2 + random.nextInt(6));
            End b = new End(2 + random.nextInt(6));
            a.credits.opened(b.free);
            b.credits.opened(a.free);
            int[] left = {200, random.nextInt(200)};
            int[] control = {50 + random.nextInt(100), random.nextInt(100)};
            int[] total = {left[0], left[1]};
            End[] ends = {a, b};
            int steps = 0;
            while (a.taken < total[1] || b.taken < total[0]) {
                assertTrue(++steps < 1_000_000, "stands still, seed " + seed + ": " + a.credits + "; " + b.credits);
                int which = random.nextInt(2);
                End end = ends[which];
                switch (random.nextInt(5)) {
                    case 0 -> {
                        if (left[which] > 0 && end.credits.takeMessage()) {
                            left[which]--;
                            end.send(0);
                        }
                    }
                    case 1 -> {
                        if (control[which] > 0 && end.credits.takeControl()) {
                            control[which]--;
                            end.send(1);
                        }
                    }
                    case 2 -> end.arrive(ends[1 - which]);
                    case 3 -> end.take();
                    default -> end.tellIfOwed();
                }
            }
            assertEquals(total[0], b.taken);
        }
    }
}
