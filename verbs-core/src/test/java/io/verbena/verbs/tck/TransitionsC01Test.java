package io.verbena.verbs.tck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.verbena.verbs.Errno;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import io.verbena.verbs.Threading;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.tck.TransitionTable.Edge;
import io.verbena.verbs.tck.peer.QueuePairSpec;
import io.verbena.verbs.tck.peer.Station;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Every transition of RC, UC and UD queue pairs with every attribute mask that matters. */
@DisplayName("C01 transition table")
@Timeout(60)
class TransitionsC01Test {
    /** Automatic path migration, which devices may lack. */
    private static final Set<QueuePairAttribute> MIGRATION =
            EnumSet.of(QueuePairAttribute.ALT_PATH, QueuePairAttribute.PATH_MIG_STATE);

    private final Station station = new Station();

    @AfterEach
    void close() {
        station.close();
    }

    /** A test on a fresh queue pair; skipped, with the reason, when the device lacks the type. */
    private DynamicTest onQueuePair(String name, QueuePairType type, QueuePairState state, Consumer<QueuePair> body) {
        return dynamicTest(name, () -> Fixture.orSkip(() -> {
            var cq = station.completionQueue(16, false, Threading.SAFE);
            try (QueuePair qp = station.queuePair(new QueuePairSpec().type(type).depth(8, 8), cq, cq)) {
                StateDriver.bring(qp, station.gid(), state);
                assertEquals(state, qp.state());
                body.accept(qp);
            }
            cq.close();
        }));
    }

    private QueuePairAttributes attributes(Edge edge, Set<QueuePairAttribute> which) {
        return StateDriver.attributes(station.gid(), edge.from(), edge.to(), which);
    }

    private static Set<QueuePairAttribute> plus(Set<QueuePairAttribute> set, QueuePairAttribute more) {
        EnumSet<QueuePairAttribute> sum = EnumSet.of(more);
        sum.addAll(set);
        return sum;
    }

    private void accepts(QueuePair qp, Edge edge, Set<QueuePairAttribute> which) {
        qp.modify(attributes(edge, which));
        assertEquals(edge.to(), qp.state());
        assertEquals(edge.to(), qp.query().state());
    }

    static void refuses(QueuePair qp, QueuePairAttributes attributes) {
        String before = StateDriver.snapshot(qp);
        VerbsException refusal = assertThrows(VerbsException.class, () -> qp.modify(attributes),
                () -> "mask " + QueuePairAttribute.toString(attributes.mask()));
        assertEquals(Errno.EINVAL, refusal.errno(), refusal.getMessage());
        assertEquals(before, StateDriver.snapshot(qp), "a refused modify must change nothing");
    }

    @TestFactory
    Stream<DynamicTest> edgeWorksWithRequiredAttributesOnly() {
        return TransitionTable.edges().stream().map(edge -> onQueuePair(edge + " with the required attributes",
                edge.type(), edge.from(), qp -> accepts(qp, edge, edge.required())));
    }

    @TestFactory
    Stream<DynamicTest> edgeWorksWithAllOptionalAttributes() {
        return TransitionTable.edges().stream().filter(edge -> !edge.optional().isEmpty()).map(edge -> {
            EnumSet<QueuePairAttribute> which = EnumSet.copyOf(edge.optional());
            which.addAll(edge.required());
            which.removeAll(MIGRATION);
            return onQueuePair(edge + " with all optional attributes", edge.type(), edge.from(),
                    qp -> accepts(qp, edge, which));
        });
    }

    @TestFactory
    Stream<DynamicTest> edgeWorksWithEachOptionalAttribute() {
        return TransitionTable.edges().stream().flatMap(edge -> edge.optional().stream()
                .map(optional -> onQueuePair(edge + " with " + optional, edge.type(), edge.from(),
                        qp -> accepts(qp, edge, plus(edge.required(), optional)))));
    }

    @TestFactory
    Stream<DynamicTest> edgeIsRefusedWithoutAnyRequiredAttribute() {
        return TransitionTable.edges().stream().flatMap(edge -> edge.required().stream().map(missing -> {
            EnumSet<QueuePairAttribute> which = EnumSet.copyOf(edge.required());
            which.remove(missing);
            return onQueuePair(edge + " without " + missing, edge.type(), edge.from(),
                    qp -> refuses(qp, attributes(edge, which)));
        }));
    }

    @TestFactory
    Stream<DynamicTest> edgeIsRefusedWithAnyForeignAttribute() {
        Predicate<QueuePairAttribute> isState = attribute -> attribute == QueuePairAttribute.STATE;
        return TransitionTable.edges().stream().flatMap(edge -> Stream.of(QueuePairAttribute.values())
                .filter(isState.negate())
                .filter(attribute -> !edge.required().contains(attribute) && !edge.optional().contains(attribute))
                .map(foreign -> onQueuePair(edge + " with foreign " + foreign, edge.type(), edge.from(),
                        qp -> refuses(qp, attributes(edge, plus(edge.required(), foreign))))));
    }

    @TestFactory
    Stream<DynamicTest> edgeOutsideTheTableIsRefused() {
        return Stream.of(QueuePairType.RC, QueuePairType.UC, QueuePairType.UD)
                .flatMap(type -> TransitionTable.REACHABLE.stream().flatMap(from -> Stream.of(QueuePairState.values())
                        .filter(to -> !TransitionTable.isLegal(type, from, to))
                        .map(to -> onQueuePair(type + " " + from + " -> " + to + " is refused", type, from,
                                qp -> refuseAll(qp, type, from, to)))));
    }

    /** With the state alone, and with all that any legal way into the target state requires. */
    private void refuseAll(QueuePair qp, QueuePairType type, QueuePairState from, QueuePairState to) {
        refuses(qp, QueuePairAttributes.toState(to));
        TransitionTable.edges().stream().filter(edge -> edge.type() == type && edge.to() == to).forEach(edge ->
                refuses(qp, StateDriver.attributes(station.gid(), from, to, edge.required())));
    }

    @TestFactory
    Stream<DynamicTest> withoutStateTheTransitionIsFromTheCurrentStateToItself() {
        return TransitionTable.edges().stream()
                .filter(edge -> edge.from() == edge.to() && !edge.optional().isEmpty())
                .map(edge -> onQueuePair(edge + " without STATE", edge.type(), edge.from(), qp -> {
                    EnumSet<QueuePairAttribute> which = EnumSet.copyOf(edge.optional());
                    which.removeAll(MIGRATION);
                    QueuePairAttributes attributes = attributes(edge, which);
                    qp.modify(attributes.mask(attributes.mask() & ~QueuePairAttribute.STATE.mask()));
                    assertEquals(edge.to(), qp.state());
                }));
    }

    @TestFactory
    Stream<DynamicTest> withoutStateForeignAttributesAreRefused() {
        return TransitionTable.edges().stream()
                .filter(edge -> edge.from() == edge.to() && !edge.optional().isEmpty())
                .map(edge -> onQueuePair(edge + " without STATE with foreign RQ_PSN", edge.type(), edge.from(),
                        qp -> refuses(qp, new QueuePairAttributes().rqPsn(7))));
    }

    @TestFactory
    Stream<DynamicTest> bitsBeyondTheKnownAttributesAreRefused() {
        return List.of(QueuePairType.RC, QueuePairType.UC, QueuePairType.UD).stream()
                .map(type -> onQueuePair(type + " with mask bit 30", type, QueuePairState.RESET, qp -> {
                    QueuePairAttributes attributes = QueuePairAttributes.init(1, 0).qkey(1);
                    refuses(qp, attributes.mask(attributes.mask() | 1 << 30));
                }));
    }
}
