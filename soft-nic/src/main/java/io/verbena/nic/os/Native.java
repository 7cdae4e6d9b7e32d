package io.verbena.nic.os;

import java.lang.foreign.ValueLayout;

/** Whether the system is one whose functions can be called; asked before any of them is looked up. */
final class Native {
    private Native() {}

    static boolean isHere() {
        return System.getProperty("os.name", "").equals("Linux")
                && ValueLayout.ADDRESS.byteSize() == Long.BYTES && Native.class.getModule().isNativeAccessEnabled();
    }
}
