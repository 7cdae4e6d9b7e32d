package io.verbena.cli;

import io.verbena.bench.BadOptionException;
import io.verbena.bench.Json;
import io.verbena.bench.OptionRange;
import io.verbena.verbs.Context;
import io.verbena.verbs.Device;
import io.verbena.verbs.DeviceAttributes;
import io.verbena.verbs.DeviceLimit;
import io.verbena.verbs.Devices;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Tells what devices are and can do, as ibv_devinfo(1). */
@Command(name = "devinfo", description = "Tell what RDMA devices are and can do (like ibv_devinfo).")
final class DevinfoCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private HelpOption help;

    @Mixin
    private JsonOption json;

    @Option(names = {"-d", "--ib-dev"}, paramLabel = "DEV", description = "Only this device (default: all).")
    private String device;

    @Option(names = {"-i", "--ib-port"}, paramLabel = "PORT", description = "Only this port (default: all).")
    private String port;

    @Option(names = {"-l", "--list"}, description = "Only the names.")
    private boolean list;

    @Option(names = {"-v", "--verbose"}, description = "All limits, capabilities and GIDs.")
    private boolean verbose;

    DevinfoCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        List<Device> devices = Devices.list();
        if (list) {
            if (device != null || port != null || verbose) {
                throw new BadOptionException("-l lists the names of all devices; it does not go with -d, -i or -v");
            }
            printNames(devices);
            return 0;
        }
        int onlyPort = DeviceOptions.number(new OptionRange("-i", 1, 255, "as devinfo shows"), port, 0);
        if (device != null) {
            try (Context context = DeviceOptions.open(device)) {
                print(context, onlyPort);
            }
            return 0;
        }
        if (devices.isEmpty()) {
            terminal.err().println("verbena devinfo: no RDMA devices found");
            return 1;
        }
        for (Device each : devices) {
            try (Context context = each.open()) {
                print(context, onlyPort);
            }
        }
        return 0;
    }

    private void printNames(List<Device> devices) {
        if (json.json) {
            devices.forEach(each -> terminal.line(new Json().put("device", each.name()).toString()));
            return;
        }
        terminal.format("%d HCA%s found:", devices.size(), devices.size() == 1 ? "" : "s");
        devices.forEach(each -> terminal.format("\t%s", each.name()));
        terminal.line("");
    }

    private void print(Context context, int onlyPort) {
        DeviceAttributes attributes = context.queryDevice();
        long ports = attributes.limit(DeviceLimit.PHYS_PORT_CNT);
        if (onlyPort > ports) {
            throw BadOptionException.value("-i", onlyPort, "1 to " + ports + " on " + context.device().name());
        }
        DeviceReport report = new DeviceReport(context, attributes, onlyPort);
        if (json.json) {
            terminal.line(report.toJson(verbose).toString());
        } else {
            report.print(terminal, verbose);
        }
    }
}
