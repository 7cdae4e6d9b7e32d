package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults planted into the engine: the simulation finds each of them within 500 seeds. */
class MutantsTest {
    private static final int SEEDS = 500;

    static List<Mutant> mutants() {
        return Stream.of(atTheResponder(), atTheRequester(), ofUnreliableConnections(), ofDatagrams())
                .flatMap(List::stream).toList();
    }

    private static List<Mutant> atTheResponder() {
        return List.of(
                new Mutant("rights of keys are not looked at", "HostMemory.java",
                        "owner != qpNum || (MemorySlot.access(slot) & rights) != rights", "owner != qpNum"),
                new Mutant("protection domains are not compared", "memory/MemoryTable.java",
                        "UnsafeApi.getInt(slot + DOMAIN_OFFSET) == domain", "slot != 0"),
                new Mutant("a range is one byte too long", "memory/MemorySlot.java",
                        "long limit = length(slot);", "long limit = length(slot) + 1;"),
                new Mutant("the last byte is not written", "HostMemory.java",
                        "Copy.lastByteLast(source, raw, length);", "Copy.lastByteLast(source, raw, length - 1);"),
                new Mutant("an immediate is reported without its write", "InboundMessage.java",
                        "if (!memory.write(", "if (!type.hasImm() && !memory.write("),
                new Mutant("sequence numbers are compared without wrap", "packet/Psn.java",
                        "return near + diff(psn, (int) near);", "return near + psn - ((int) near & MASK);"),
                new Mutant("a duplicate atomic is executed again", "Responder.java",
                        "if (!type.isRead()) {",
                        "if (type.isAtomic() && memory.locateAtomic(view.atomicRkey(), view.atomicAddress(),"
                                + " Access.REMOTE_ATOMIC)) { memory.fetchAdd(view.swapOrAdd()); }"
                                + " if (!type.isRead()) {"),
                new Mutant("the rest of a READ is answered from its start", "Answers.java",
                        "long offset = (at - replay.first(place)) * config.mtuBytes();",
                        "long offset = (at - from[place]) * config.mtuBytes();"),
                new Mutant("a duplicate message is taken again", "Responder.java",
                        "if (position < expected) {", "if (position < expected - 1) {"),
                new Mutant("a gap of one is not noticed", "Responder.java",
                        "if (position > expected) {", "if (position > expected + 1) {"),
                new Mutant("pad is taken for payload", "packet/PacketView.java",
                        " - padCount() - ICRC_BYTES;", " - ICRC_BYTES;"),
                new Mutant("damage is not noticed", "packet/Icrc.java",
                        "return difference == 0 ||", "return difference != 1 ||"),
                new Mutant("a receive is kept after it has ended", "InboundMessage.java",
                        "long ended = receive;\n        receive = ReceiveSource.NONE;", "long ended = receive;"),
                new Mutant("what is remembered is fewer than promised", "Responder.java",
                        "replay = new Replay(Math.max(1, config.responding().maxReads()));",
                        "replay = new Replay(Math.max(1, config.responding().maxReads() / 2));"));
    }

    private static List<Mutant> atTheRequester() {
        return List.of(
                new Mutant("a request ends twice", "Completer.java",
                        "if (!sink.sendEnded(sequence, 0, bytes)) {",
                        "sink.sendEnded(sequence, 0, bytes); if (!sink.sendEnded(sequence, 0, bytes)) {"),
                new Mutant("the timer is lost when packets are sent again", "Requester.java",
                        "if (ask && limits.ackTimeoutNs() != 0 &&",
                        "if (ask && !window.wasResent(sequence) && limits.ackTimeoutNs() != 0 &&"),
                new Mutant("the flush skips one", "RcConnection.java",
                        "life.flush(window.oldest())", "life.flush(window.oldest() + 1)"),
                new Mutant("an acknowledgement crosses a READ", "Completer.java",
                        "while (window.unanswered() < position && !SendWindow.wantsResponse("
                                + "window.opcode(window.oldest()))) {",
                        "while (window.unanswered() < position) {"),
                new Mutant("the rest of a READ is asked for from its start", "Requester.java",
                        "source.remoteAddress(sequence) + offset", "source.remoteAddress(sequence)"),
                new Mutant("tries for want of a receive always end", "Retry.java",
                        "rnrLimit == RNR_WITHOUT_END || ", ""),
                new Mutant("the operands of a swap are exchanged", "Requester.java",
                        "swaps ? source.swap(sequence) : first, swaps ? first : 0",
                        "first, swaps ? source.swap(sequence) : 0"),
                new Mutant("a fence does not hold", "Requester.java",
                        "SendFlags.FENCE) != 0 && window.reads() > 0", "SendFlags.FENCE) != 0 && window.reads() > 99"),
                new Mutant("answers that were lost are skipped", "Completer.java",
                        " || position != window.unanswered()", ""),
                new Mutant("the window counts from the wrong end", "SendWindow.java",
                        "return cursor - unanswered;", "return cursor - sent;"));
    }

    private static Mutant unreliable(Service service, String name, String sound, String faulty) {
        String file = service == Service.UC ? "UcConnection.java" : "UdEndpoint.java";
        return new Mutant(service, name, file, sound, faulty);
    }

    private static List<Mutant> ofUnreliableConnections() {
        return List.of(
                unreliable(Service.UC, "copies and late packets are taken",
                        "if (ahead < 0 && ahead >= -MAX_LATE) {", "if (ahead < -MAX_LATE) {"),
                unreliable(Service.UC, "a message goes on over a gap of one",
                        "if (ahead != 0 && !type.isStart()) {", "if (ahead > 1 && !type.isStart()) {"),
                unreliable(Service.UC, "a packet that is refused moves the number that is awaited",
                        "if (verdict == Verdict.ACCEPTED) {", "if (verdict != null) {"),
                unreliable(Service.UC, "a start does not end what was under way",
                        "if (view.type().isStart()) {", "if (view.payloadLength() < 0) {"),
                unreliable(Service.UC, "a failed send is gone on with",
                        "written = 0;\n        boolean reported", "boolean reported"),
                new Mutant(Service.UC, "the receive of a broken message is lost", "InboundMessage.java",
                        "void abandon() {\n        underWay = false;",
                        "void abandon() {\n        underWay = false; receive = ReceiveSource.NONE;"),
                new Mutant(Service.UC, "a refused packet's key is used", "HostMemory.java",
                        "owner != qpNum || (MemorySlot.access(slot) & rights) != rights", "owner != qpNum"));
    }

    private static List<Mutant> ofDatagrams() {
        return List.of(
                unreliable(Service.UD, "queue keys are not compared", "view.qkey() != qkey", "view.qkey() == 0"),
                unreliable(Service.UD, "the own queue key is not put in",
                        "(wanted & OWN_KEY) != 0 ? qkey : wanted", "wanted"),
                unreliable(Service.UD, "the header area is one byte short",
                        "target.scatter(0, HEADER_AREA, header)", "target.scatter(0, HEADER_AREA - 1, header)"),
                unreliable(Service.UD, "a receive without room for the header is taken",
                        "receives.takeFitting(bytes)", "receives.takeFitting(view.payloadLength())"),
                unreliable(Service.UD, "the own number is reported as the sender's",
                        "delivery.withHeader(view.sourceQp())", "delivery.withHeader(qpNum)"));
    }

    /** One about memory, one about answers, one about order, one of each service without answers. */
    static List<Mutant> someMutants() {
        var some = List.of("a range is one", "an ack", "a gap", "a start", "the own queue");
        return mutants().stream().filter(m -> some.stream().anyMatch(m.name()::startsWith)).toList();
    }

    @ParameterizedTest
    @MethodSource("someMutants")
    void someAreFoundInEveryBuild(Mutant mutant, @TempDir Path folder) throws Exception {
        assertNotEquals(Sim.NOTHING, mutant.hunt(folder, SEEDS), "not found within " + SEEDS + " seeds");
    }

    @ParameterizedTest
    @MethodSource("mutants")
    @Tag("ci")
    void allAreFound(Mutant mutant, @TempDir Path folder) throws Exception {
        assertNotEquals(Sim.NOTHING, mutant.hunt(folder, SEEDS), "not found within " + SEEDS + " seeds");
    }

    @Test
    void withoutAFaultNothingIsFound(@TempDir Path folder) throws Exception {
        var sound = new Mutant("nothing is wrong", "Retry.java", "return ++used <= limit;", "return ++used <= limit;");
        assertEquals(Sim.NOTHING, sound.hunt(folder, 50));
        assertTrue(mutants().size() >= 20);
    }
}
