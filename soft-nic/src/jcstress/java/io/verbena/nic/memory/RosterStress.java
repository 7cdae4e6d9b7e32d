package io.verbena.nic.memory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A control call that waits for the roster misses no data call: neither one that enlists at the same time, nor one of a
 * member that is being dismissed.
 */
@JCStressTest
@Outcome(id = "2, .*", expect = Expect.FORBIDDEN, desc = "used it after the first control call")
@Outcome(id = ".*, 2", expect = Expect.FORBIDDEN, desc = "used it after the second control call")
@Outcome(id = "[01], [01]", expect = Expect.ACCEPTABLE, desc = "used it in time, or saw the revocation")
@State
public class RosterStress {
    private final Generation generation = new Generation();
    private final Caller caller = new Caller(generation);
    private final Resource first = new Resource();
    private final Resource second = new Resource();

    /** Leaves the member on the roster, to be dismissed by the next control call. */
    public RosterStress() {
        caller.use(first);
        generation.bump();
        generation.roster().awaitQuiescent();
    }

    /** Something that is revoked first and reused afterwards. */
    private static final class Resource {
        private volatile boolean revoked;
        private int memory = 1;
    }

    /** A member that remembers whether a resource may be used, for one generation. */
    private static final class Caller extends Roster.Member {
        private final Guard guard = new Guard();
        private final Generation generation;
        private Resource known;
        private boolean usable;
        private long seen = -1;

        Caller(Generation generation) {
            this.generation = generation;
        }

        int use(Resource resource) {
            guard.enter();
            if (generation.get() != seen) {
                generation.roster().enlist(this);
                seen = generation.get();
                known = null;
            }
            if (known != resource) {
                known = resource;
                usable = !resource.revoked;
            }
            int used = usable ? resource.memory : 0;
            guard.exit();
            return used;
        }

        @Override
        protected long activity() {
            return guard.sample();
        }

        @Override
        protected void awaitQuiescent() {
            guard.awaitQuiescent();
        }
    }

    /** Two data calls. */
    @Actor
    public void data(II_Result r) {
        r.r1 = caller.use(first);
        r.r2 = caller.use(second);
    }

    /** Two control calls; the first one may dismiss the member. */
    @Actor
    public void control() {
        take(first);
        take(second);
    }

    private void take(Resource resource) {
        resource.revoked = true;
        generation.bump();
        Fences.heavy();
        generation.roster().awaitQuiescent();
        resource.memory = 2;
    }
}
