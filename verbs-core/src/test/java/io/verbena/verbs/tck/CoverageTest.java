package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** The index of conformance cases: where each one is tested, and what of it is not tested yet and why. */
@DisplayName("Coverage of the conformance cases")
@Timeout(10)
class CoverageTest {
    private static final String NEXT = "next step of the project: ";
    private static final String WIRE = "needs packets on a wire: ";

    /** Case, what is not covered (empty when all is), classes. */
    private static final List<Entry> INDEX = List.of(
            new Entry("C01", NEXT + "XRC and RAW", TransitionsC01Test.class, AttributeValuesC01Test.class,
                    SendErrorC01C02Test.class),
            new Entry("C02", "", PostingStatesC02Test.class, UnreliablePostingC02Test.class,
                    SendErrorC01C02Test.class),
            new Entry("C03", "", QueueLimitsC03Test.class),
            new Entry("C04", "", CreationLimitsC04Test.class),
            new Entry("C05", "", DestroyRefusalsC05Test.class, WindowLifeC05C34Test.class,
                    SharingRefusalsC05Test.class),
            new Entry("C06", "", ResetC06Test.class),
            new Entry("C07", "", ErrorFlushC07Test.class, UnreliableFlushC07C08Test.class),
            new Entry("C08", "", DrainC08Test.class, UnreliableFlushC07C08Test.class),
            new Entry("C09", "", SendC09C10Test.class, UnreliableTransfersTest.class, DatagramTransfersTest.class),
            new Entry("C10", "", SendC09C10Test.class, UnreliableTransfersTest.class, DatagramTransfersTest.class),
            new Entry("C11", WIRE + "pad bytes are never written", RdmaC11C12C13Test.class,
                    UnreliableTransfersTest.class),
            new Entry("C12", "", RdmaC11C12C13Test.class, UnreliableTransfersTest.class),
            new Entry("C13", "", RdmaC11C12C13Test.class),
            new Entry("C14", "", ScatterGatherC14Test.class, UnreliableTransfersTest.class,
                    DatagramTransfersTest.class),
            new Entry("C15", "", InlineC15Test.class, UnreliableTransfersTest.class, DatagramTransfersTest.class),
            new Entry("C16", "", ZeroLengthC16Test.class, UnreliableTransfersTest.class),
            new Entry("C17", "", AtomicsC17Test.class),
            new Entry("C18", "", SendTooLongC18Test.class),
            new Entry("C19", "", HugeMessageC19Test.class),
            new Entry("C20", "", SignallingC20Test.class, UnreliableOrderTest.class),
            new Entry("C21", "", MtuMismatchC21Test.class),
            new Entry("C22", "", CompletionOrderC22Test.class, UnreliableOrderTest.class),
            new Entry("C23", "", WriteThenSendC23Test.class),
            new Entry("C24", "", FenceC24Test.class),
            new Entry("C25", WIRE + "counting how many READs and atomics are outstanding", ReadDepthC25C26Test.class),
            new Entry("C26", "", ReadDepthC25C26Test.class),
            new Entry("C27", "", RemoteKeyC27Test.class),
            new Entry("C28", "", QueuePairAccessC28Test.class),
            new Entry("C29", "", LocalKeyC29Test.class),
            new Entry("C30", "", BadReceiveC30Test.class),
            new Entry("C31", "", RegistrationC31Test.class),
            new Entry("C32", WIRE + "crafted packets with misaligned addresses", AtomicAlignmentC32Test.class),
            new Entry("C33", "", DeregisterStormC33Test.class),
            new Entry("C34", "", ReregisterC34Test.class, WindowLifeC05C34Test.class),
            new Entry("C35", "", WindowsC35Test.class, WindowStormC36Test.class),
            new Entry("C36", "", WindowsC36Test.class, WindowStormC36Test.class),
            new Entry("C37", "", WindowRefusalsC37Test.class),
            new Entry("C38", "", PartialRegionC38Test.class, WindowRangeC38Test.class),
            new Entry("C48", WIRE + "counting the RNR NAKs", ReceiverNotReadyC48Test.class),
            new Entry("C49", WIRE + "nothing of a multi-packet write before its last packet is promised",
                    ReceiverNotReadyC48Test.class),
            new Entry("C50", WIRE + "counting the packets sent again; loss of single packets",
                    RetryExceededC50Test.class),
            new Entry("C51", WIRE + "timers of 100,000 destroyed queue pairs", RetryExceededC50Test.class),
            new Entry("C56", "", CompletionEventsC56Test.class, EventStressC56Test.class),
            new Entry("C57", "", OverflowC57Test.class),
            new Entry("C58", "", ResizeC58Test.class),
            new Entry("C59", WIRE + "the credits field of acknowledgements", SharedReceivesC59Test.class,
                    SharedReceiveEventsC59Test.class, SharedReceiveSizesC59Test.class,
                    SharedReceiveTeardownC59Test.class, SharedReceiveLoadC59Test.class),
            new Entry("C60", "", PostAllC60Test.class),
            new Entry("C61", WIRE + "loss and reordering of single packets of a message", LostMessagesC61Test.class),
            new Entry("C62", WIRE + "datagrams with a wrong partition key", DatagramC62Test.class,
                    MulticastC62Test.class));

    /** Cases that the index must list. */
    private static Stream<String> required() {
        return Stream.concat(IntStream.rangeClosed(1, 30).mapToObj(i -> String.format("C%02d", i)),
                Stream.of("C33", "C34", "C35", "C36", "C37", "C38", "C56", "C57", "C58", "C59", "C60", "C61",
                        "C62"));
    }

    /**
     * One line of the index.
     *
     * @param id of the case
     * @param missing what is not tested yet and why
     * @param classes where it is tested
     */
    private record Entry(String id, String missing, Class<?>... classes) {}

    private static Map<String, Entry> byId() {
        Map<String, Entry> map = new TreeMap<>();
        INDEX.forEach(entry -> map.put(entry.id(), entry));
        return map;
    }

    @Test
    void everyRequiredCaseHasTests() {
        Map<String, Entry> index = byId();
        assertEquals(INDEX.size(), index.size(), "each case once");
        required().forEach(id -> assertTrue(index.containsKey(id), id));
        for (Entry entry : INDEX) {
            for (Class<?> tests : entry.classes()) {
                assertTrue(Arrays.stream(tests.getDeclaredMethods()).anyMatch(CoverageTest::isTest), tests.getName());
            }
        }
    }

    @Test
    void classesAreNamedAfterTheirCases() {
        for (Entry entry : INDEX) {
            for (Class<?> tests : entry.classes()) {
                String title = tests.getAnnotation(DisplayName.class).value();
                assertTrue(title.contains(entry.id()) || tests.getSimpleName().contains(entry.id()),
                        tests.getSimpleName() + " \"" + title + "\" does not name " + entry.id());
                assertFalse(tests.getAnnotation(Timeout.class) == null, tests.getSimpleName() + " has no time-out");
            }
        }
    }

    private static boolean isTest(Method method) {
        return Stream.<Class<? extends Annotation>>of(Test.class, ParameterizedTest.class, TestFactory.class)
                .anyMatch(method::isAnnotationPresent);
    }

    /** Prints the gaps, so that the log of a run shows them. */
    @Test
    void gapsAreListedWithTheirReason() {
        byId().forEach((id, entry) -> {
            if (!entry.missing().isEmpty()) {
                assertTrue(entry.missing().startsWith(NEXT) || entry.missing().startsWith(WIRE), entry.missing());
                System.out.println(id + " not covered yet, " + entry.missing());
            }
        });
    }
}
