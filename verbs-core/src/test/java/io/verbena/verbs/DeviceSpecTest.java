package io.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Device specifications as text. */
@Timeout(10)
class DeviceSpecTest {
    @Test
    void readsANameAlone() {
        assertEquals(new DeviceSpec("soft0", Map.of()), DeviceSpec.parse("soft0"));
    }

    @Test
    void readsSettingsInOrder() {
        DeviceSpec spec = DeviceSpec.parse("soft?progress=inline&link=udp&bind=[::1]:4791?x&empty=&twice=a=b");
        assertEquals("soft", spec.name());
        assertEquals(List.of("progress", "link", "bind", "empty", "twice"), List.copyOf(spec.settings().keySet()));
        assertEquals("inline", spec.settings().get("progress"));
        assertEquals("[::1]:4791?x", spec.settings().get("bind"));
        assertEquals("", spec.settings().get("empty"));
        assertEquals("a=b", spec.settings().get("twice"));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {
        "", " ", "?", "?a=b", "soft?", "soft?a", "soft?=b", "soft?a=b&", "soft?&a=b", "soft?a=1&a=2"
    })
    void refusesAnythingElse(String text) {
        VerbsException e = assertThrows(VerbsException.class, () -> DeviceSpec.parse(text));
        assertEquals(Errno.EINVAL, e.errno());
        assertTrue(e.getMessage().contains("\"" + text + "\""), e.getMessage());
    }

    @Test
    void settingsAreCopiedAndUnmodifiable() {
        Map<String, String> settings = new LinkedHashMap<>(Map.of("a", "1"));
        DeviceSpec spec = new DeviceSpec("soft", settings);
        settings.put("b", "2");
        assertEquals(Map.of("a", "1"), spec.settings());
        assertThrows(UnsupportedOperationException.class, () -> spec.settings().put("b", "2"));
    }
}
