package io.verbena.async.memory;

/** A block of a {@link SlabPool} in use. */
final class PoolBlock extends Root {
    private final SlabPool pool;
    private final Run run;
    private final int block;

    PoolBlock(SlabPool pool, Run run, int block, long length, int access) {
        super(run.slab.segment().asSlice(run.offset(block), length), access, pool.grants());
        this.pool = pool;
        this.run = run;
        this.block = block;
    }

    @Override
    public int lkey() {
        return run.slab.lkey();
    }

    @Override
    protected void quiesced(boolean byOwner) {
        pool.free(run, block, byOwner);
    }
}
