package io.verbena.async.memory;

import io.verbena.verbs.MemoryRegion;

/** Memory of the user's own, registered. */
final class UserBlock extends Root {
    private final NodeMemory memory;
    private final MemoryRegion region;

    UserBlock(NodeMemory memory, MemoryRegion region, int access) {
        super(region.segment(), access, memory.grants());
        this.memory = memory;
        this.region = region;
    }

    @Override
    public int lkey() {
        return region.lkey();
    }

    @Override
    protected void quiesced(boolean byOwner) {
        if (byOwner) {
            deregister();
        } else {
            memory.soon(this::deregister);
        }
    }

    void deregister() {
        region.close();
        memory.forget(this);
    }
}
