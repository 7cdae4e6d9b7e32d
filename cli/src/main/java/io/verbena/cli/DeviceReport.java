package io.verbena.cli;

import io.verbena.bench.Json;
import io.verbena.verbs.Context;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceCapability;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.GidEntry;
import io.verbena.verbs.Mtu;
import io.verbena.verbs.PortAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Writes one open device in the layout of ibv_devinfo. */
final class DeviceReport {
    private final Context context;
    private final DeviceAttributes attributes;
    private final int firstPort;
    private final int lastPort;

    /** Reports one port, or all when it is 0. */
    DeviceReport(Context context, DeviceAttributes attributes, int onlyPort) {
        this.context = context;
        this.attributes = attributes;
        firstPort = onlyPort == 0 ? 1 : onlyPort;
        lastPort = onlyPort == 0 ? (int) attributes.limit(DeviceLimit.PHYS_PORT_CNT) : onlyPort;
    }

    void print(Terminal terminal, boolean verbose) {
        terminal.format("hca_id:\t%s", context.device().name());
        field(terminal, "transport:", "InfiniBand (0)");
        field(terminal, "provider:", context.device().provider());
        field(terminal, "fw_ver:", attributes.firmwareVersion());
        field(terminal, "node_guid:", guid(attributes.nodeGuid()));
        field(terminal, "vendor_id:", String.format("0x%04x", attributes.vendorId()));
        field(terminal, "vendor_part_id:", Integer.toString(attributes.vendorPartId()));
        field(terminal, "phys_port_cnt:", Long.toString(attributes.limit(DeviceLimit.PHYS_PORT_CNT)));
        if (verbose) {
            printLimits(terminal);
        }
        for (int port = firstPort; port <= lastPort; port++) {
            printPort(terminal, port, verbose);
        }
        terminal.line("");
    }

    private static void field(Terminal terminal, String name, String value) {
        terminal.format("\t%-32s%s", name, value);
    }

    private static void portField(Terminal terminal, String name, String value) {
        terminal.format("\t\t\t%-16s%s", name, value);
    }

    private void printLimits(Terminal terminal) {
        for (DeviceLimit limit : DeviceLimit.values()) {
            if (limit != DeviceLimit.PHYS_PORT_CNT) {
                String pattern = limit == DeviceLimit.PAGE_SIZE_CAP || limit == DeviceLimit.MAX_MR_SIZE ? "0x%x" : "%d";
                field(terminal, name(limit) + ':', String.format(pattern, attributes.limit(limit)));
            }
        }
        field(terminal, "atomic_cap:", "ATOMIC_" + attributes.atomicCapability());
        field(terminal, "device_cap_flags:", "");
        for (DeviceCapability capability : DeviceCapability.values()) {
            if (attributes.capabilities().contains(capability)) {
                terminal.format("\t\t\t\t\t%s", capability);
            }
        }
    }

    private static String name(DeviceLimit limit) {
        return limit.name().toLowerCase(Locale.ROOT);
    }

    private void printPort(Terminal terminal, int number, boolean verbose) {
        PortAttributes port = context.queryPort(number);
        terminal.format("\t\tport:\t%d", number);
        portField(terminal, "state:", "PORT_" + port.state() + " (" + port.state().ordinal() + ')');
        portField(terminal, "max_mtu:", mtu(port.maxMtu()));
        portField(terminal, "active_mtu:", mtu(port.activeMtu()));
        portField(terminal, "link_layer:", linkLayer(port));
        if (verbose) {
            portField(terminal, "max_msg_sz:", String.format("0x%x", port.maxMessageBytes()));
            portField(terminal, "gid_tbl_len:", Integer.toString(port.gidTableLength()));
            portField(terminal, "pkey_tbl_len:", Integer.toString(port.pkeyTableLength()));
            for (GidEntry gid : gids(number)) {
                String behind = gid.interfaceName().isEmpty() ? "" : ", " + gid.interfaceName();
                portField(terminal, "GID[" + gid.index() + "]:", gid.gid() + ", " + type(gid) + behind);
            }
        }
    }

    private static String mtu(Mtu mtu) {
        return mtu.bytes() + " (" + mtu.code() + ')';
    }

    private static String linkLayer(PortAttributes port) {
        return switch (port.linkLayer()) {
            case UNSPECIFIED -> "Unspecified";
            case INFINIBAND -> "InfiniBand";
            case ETHERNET -> "Ethernet";
        };
    }

    private static String type(GidEntry gid) {
        return switch (gid.type()) {
            case IB -> "IB";
            case ROCE_V1 -> "RoCE v1";
            case ROCE_V2 -> "RoCE v2";
        };
    }

    private List<GidEntry> gids(int port) {
        return context.queryGidTable().stream().filter(entry -> entry.port() == port).toList();
    }

    private static String guid(long guid) {
        return String.format("%04x:%04x:%04x:%04x", guid >>> 48, guid >>> 32 & 0xFFFF, guid >>> 16 & 0xFFFF,
                guid & 0xFFFF);
    }

    Json toJson(boolean verbose) {
        List<Json> ports = new ArrayList<>();
        for (int port = firstPort; port <= lastPort; port++) {
            ports.add(portJson(port));
        }
        Json json = new Json().put("device", context.device().name()).put("provider", context.device().provider())
                .put("transport", "InfiniBand").put("fw_ver", attributes.firmwareVersion())
                .put("node_guid", guid(attributes.nodeGuid())).put("vendor_id", attributes.vendorId())
                .put("vendor_part_id", attributes.vendorPartId())
                .put("phys_port_cnt", attributes.limit(DeviceLimit.PHYS_PORT_CNT));
        if (verbose) {
            Json limits = new Json();
            for (DeviceLimit limit : DeviceLimit.values()) {
                limits.put(name(limit), attributes.limit(limit));
            }
            json.put("atomic_cap", attributes.atomicCapability().name()).put("limits", limits);
        }
        return json.put("ports", ports);
    }

    private Json portJson(int number) {
        PortAttributes port = context.queryPort(number);
        List<Json> gids = gids(number).stream().map(entry -> new Json().put("index", entry.index())
                .put("gid", entry.gid().toString()).put("type", type(entry))
                .put("interface", entry.interfaceName())).toList();
        return new Json().put("port", number).put("state", "PORT_" + port.state())
                .put("max_mtu", port.maxMtu().bytes()).put("active_mtu", port.activeMtu().bytes())
                .put("link_layer", linkLayer(port)).put("max_msg_sz", port.maxMessageBytes()).put("gids", gids);
    }
}
