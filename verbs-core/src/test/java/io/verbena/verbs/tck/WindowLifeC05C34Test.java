package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.Access;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Errno;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.MemoryWindow.Type;
import io.verbena.verbs.Opcode;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WcStatus;
import io.verbena.verbs.tck.peer.MemoryKind;
import io.verbena.verbs.tck.peer.PeerAnswer.WindowInfo;
import io.verbena.verbs.tck.peer.PeerCommand;
import io.verbena.verbs.tck.peer.WorkSpec;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a window keeps from going, and what goes with it. */
@DisplayName("C05, C34 windows and the objects they stand on")
@Timeout(60)
class WindowLifeC05C34Test extends WindowTest {
    private static void busy(Executable call) {
        VerbsException refusal = assertThrows(VerbsException.class, call);
        assertEquals(Errno.EBUSY, refusal.errno(), refusal.getMessage());
    }

    private int boundOf(Type type, WindowInfo window) {
        if (type == Type.TYPE_2) {
            return bound(bindMiddle(window, 1), window);
        }
        assertEquals(WcStatus.SUCCESS, bindTypeOne(bindMiddle(window, 1)));
        return key(window);
    }

    @ParameterizedTest
    @EnumSource
    void regionWithABoundWindowIsNeitherDeregisteredNorReregistered(Type type) {
        prepare();
        WindowInfo window = window(type);
        int key = boundOf(type, window);
        int handle = region.region().handle();
        busy(() -> region.deregister());
        for (int change : new int[] {
            MemoryRegion.CHANGE_ACCESS, MemoryRegion.CHANGE_PD, MemoryRegion.CHANGE_TRANSLATION}) {
            busy(() -> fixture.b().execute(new PeerCommand.Reregister(
                    handle, change, PeerCommand.OTHER_DOMAIN, region.memory(), BINDABLE)));
        }
        mayWrite(key);
        if (type == Type.TYPE_2) {
            invalidated(key);
        } else {
            assertEquals(WcStatus.SUCCESS, bindTypeOne(
                    WorkSpec.send(1, Opcode.BIND_MW).bind(window.handle(), 0, -1, 0, 0, 0)));
        }
        fixture.b().execute(new PeerCommand.Reregister(handle, MemoryRegion.CHANGE_ACCESS, PeerCommand.DOMAIN,
                region.memory(), BINDABLE | Access.REMOTE_READ));
        boundOf(type, window);
        busy(() -> region.deregister());
        destroy(window.handle());
        region.deregister();
    }

    @Test
    void reregistrationWithoutTheRightEndsBinding() {
        prepare();
        WindowInfo window = window(Type.TYPE_2);
        fixture.b().execute(new PeerCommand.Reregister(region.region().handle(), MemoryRegion.CHANGE_ACCESS,
                PeerCommand.DOMAIN, region.memory(), Access.LOCAL_WRITE));
        assertEquals(WcStatus.MW_BIND_ERR, atB(pair, bindMiddle(window, 1)));
    }

    @ParameterizedTest
    @EnumSource
    void domainWithAWindowStaysUsable(Type type) {
        window(type);
        ProtectionDomain domain = fixture.a().otherDomain();
        MemoryWindow window = domain.allocateMemoryWindow(type);
        assertEquals(type, window.type());
        assertEquals(domain, window.protectionDomain());
        busy(domain::close);
        domain.allocateMemoryWindow(type).close();
        window.close();
        assertDoesNotThrow(window::close, "closing twice does nothing");
        domain.close();
        assertThrows(VerbsException.class, () -> domain.allocateMemoryWindow(type));
    }

    @Test
    void keysOfWindowsAreUnpredictableAndDifferInTheirHighBits() {
        window(Type.TYPE_2);
        Set<Integer> high = new HashSet<>();
        int last = 0;
        int adjacent = 0;
        for (int i = 0; i < 2000; i++) {
            try (MemoryWindow window =
                    fixture.a().domain().allocateMemoryWindow(i % 2 == 0 ? Type.TYPE_1 : Type.TYPE_2)) {
                assertNotEquals(0, window.rkey() >>> 8);
                high.add(window.rkey() >>> 8);
                adjacent += Math.abs((window.rkey() >>> 8) - last) < 1 << 8 ? 1 : 0;
                last = window.rkey() >>> 8;
                assertEquals(window.rkey() & ~0xFF | 0x34, window.rkey(0x1234));
            }
        }
        assertEquals(2000, high.size(), "none comes back soon");
        assertEquals(true, adjacent < 20, adjacent + " of 2000 keys lie close to the one before");
    }

    @Test
    void asManyAsTheDeviceSaysCanBeAllocated() {
        window(Type.TYPE_2);
        long limit = fixture.a().context().queryDevice().limit(DeviceLimit.MAX_MW);
        assertEquals(true, limit >= 2, "MAX_MW is " + limit);
        for (int i = 0; i < Math.min(limit - 1, 5_000); i++) {
            fixture.a().keep(fixture.a().domain().allocateMemoryWindow(Type.TYPE_2));
        }
        RemoteBuffer other = fixture.remote(64, MemoryKind.DEVICE);
        assertNotEquals(0, other.rkey());
    }
}
