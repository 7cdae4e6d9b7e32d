package io.verbena.cli;

import io.verbena.bench.Json;
import io.verbena.verbs.Device;
import io.verbena.verbs.Devices;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the devices there are, as ibv_devices(1). */
@Command(name = "devices", description = "List the RDMA devices (like ibv_devices).")
final class DevicesCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private HelpOption help;

    @Mixin
    private JsonOption json;

    DevicesCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        List<Device> devices = Devices.list();
        if (json.json) {
            for (Device device : devices) {
                terminal.line(new Json().put("device", device.name()).put("provider", device.provider())
                        .put("node_guid", String.format("%016x", device.nodeGuid())).toString());
            }
            return 0;
        }
        terminal.format("    %-16s\t   %s", "device", "node GUID");
        terminal.format("    %-16s\t%s", "------", "----------------");
        for (Device device : devices) {
            terminal.format("    %-16s\t%016x", device.name(), device.nodeGuid());
        }
        return 0;
    }
}
