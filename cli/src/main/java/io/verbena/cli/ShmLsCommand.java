package io.verbena.cli;

import io.verbena.bench.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the NICs that processes of this host offer to others, and the memory they share. */
@Command(
        name = "ls",
        description = "List NICs that other processes can reach, and the memory they share.",
        footer = {
            "",
            "NICs are those of all users in this network namespace; processes, queue pairs and memory are shown as far"
                    + " as /proc lets you see them. Nothing is touched, and nothing has to be removed: what a process"
                    + " shares ends with it.",
            "",
            "Kinds of memory: board (of a NIC; others may read it), inbox (of a queue pair; its peer writes to it),"
                    + " memory (allocated by a program)."})
final class ShmLsCommand implements Callable<Integer> {
    private static final Path PROC = Path.of("/proc");
    private static final String UNKNOWN = "-";

    private final Terminal terminal;

    @Mixin
    private HelpOption help;

    @Mixin
    private JsonOption json;

    @Option(names = {"-m", "--segments"}, description = "Every piece of memory, not only sums (always so with --json).")
    private boolean segments;

    ShmLsCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        ShmSurvey survey;
        try {
            survey = ShmSurvey.of(PROC);
        } catch (IOException e) {
            terminal.err().println("verbena shm ls: there is no /proc/net/unix to read; link=shm needs Linux");
            return 1;
        }
        if (json.json) {
            survey.nics().forEach(nic -> terminal.line(toJson(nic).toString()));
            survey.segments().forEach(segment -> terminal.line(toJson(segment).toString()));
        } else {
            print(survey);
        }
        return 0;
    }

    private static Json toJson(ShmSurvey.Nic nic) {
        Json json = new Json().put("kind", "nic").put("gid", nic.gid().toString()).put("device", nic.device())
                .put("uid", nic.uid());
        put(json, "pid", nic.pid());
        put(json, "queue_pairs", nic.queuePairs());
        return json;
    }

    private static void put(Json json, String name, long value) {
        if (value < 0) {
            json.put(name, (String) null);
        } else {
            json.put(name, value);
        }
    }

    private static Json toJson(ShmSegment segment) {
        Json json = new Json().put("kind", segment.kind()).put("name", segment.name()).put("inode", segment.inode())
                .put("bytes", segment.bytes());
        put(json, "owner", segment.owner());
        return json.put("users", segment.users().stream().map(pid -> new Json().put("pid", pid)).toList());
    }

    private void print(ShmSurvey survey) {
        if (survey.nics().isEmpty() && survey.segments().isEmpty()) {
            terminal.line("no process has a NIC that others can reach (soft?link=shm)");
            return;
        }
        terminal.format("%-8s %-9s %-7s %-40s %11s %9s %14s", "device", "pid", "uid", "GID", "queue pairs", "segments",
                "bytes");
        for (ShmSurvey.Nic nic : survey.nics()) {
            List<ShmSegment> own = survey.segments().stream().filter(it -> it.owner() == nic.pid()).toList();
            terminal.format("%-8s %-9s %-7d %-40s %11s %9s %14s", nic.device(), known(nic.pid()), nic.uid(), nic.gid(),
                    known(nic.queuePairs()), nic.pid() < 0 ? UNKNOWN : own.size(),
                    nic.pid() < 0 ? UNKNOWN : own.stream().mapToLong(ShmSegment::bytes).sum());
        }
        if (segments) {
            terminal.line("");
            terminal.format("%-7s %-12s %14s %-9s %s", "kind", "inode", "bytes", "owner", "mapped by");
            for (ShmSegment segment : survey.segments()) {
                terminal.format("%-7s %-12d %14d %-9s %s", segment.kind(), segment.inode(), segment.bytes(),
                        known(segment.owner()),
                        segment.users().stream().map(pid -> Long.toString(pid)).collect(Collectors.joining(", ")));
            }
        }
    }

    private static String known(long value) {
        return value < 0 ? UNKNOWN : Long.toString(value);
    }
}
