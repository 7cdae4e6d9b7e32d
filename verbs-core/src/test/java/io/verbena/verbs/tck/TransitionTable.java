package io.verbena.verbs.tck;

import io.verbena.verbs.QueuePairAttribute;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.QueuePairType;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The legal transitions of queue pairs, typed in from the reference independently of any implementation. */
final class TransitionTable {
    /** type | from | to | required besides STATE | optional. */
    private static final String TEXT = """
            RC | RESET | INIT | PKEY_INDEX PORT ACCESS_FLAGS |
            RC | INIT | INIT | | PKEY_INDEX PORT ACCESS_FLAGS
            RC | INIT | RTR | AV PATH_MTU DEST_QPN RQ_PSN MAX_DEST_RD_ATOMIC MIN_RNR_TIMER \
            | ALT_PATH ACCESS_FLAGS PKEY_INDEX
            RC | RTR | RTS | SQ_PSN TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC \
            | CUR_STATE ALT_PATH ACCESS_FLAGS MIN_RNR_TIMER PATH_MIG_STATE
            RC | RTS | RTS | | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER
            RC | RTS | SQD | | EN_SQD_ASYNC_NOTIFY
            RC | SQD | SQD | | PORT AV TIMEOUT RETRY_CNT RNR_RETRY MAX_QP_RD_ATOMIC MAX_DEST_RD_ATOMIC ALT_PATH \
            ACCESS_FLAGS PKEY_INDEX MIN_RNR_TIMER PATH_MIG_STATE
            RC | SQD | RTS | | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE MIN_RNR_TIMER
            UC | RESET | INIT | PKEY_INDEX PORT ACCESS_FLAGS |
            UC | INIT | INIT | | PKEY_INDEX PORT ACCESS_FLAGS
            UC | INIT | RTR | AV PATH_MTU DEST_QPN RQ_PSN | ALT_PATH ACCESS_FLAGS PKEY_INDEX
            UC | RTR | RTS | SQ_PSN | CUR_STATE ALT_PATH ACCESS_FLAGS PATH_MIG_STATE
            UC | RTS | RTS | | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
            UC | RTS | SQD | | EN_SQD_ASYNC_NOTIFY
            UC | SQD | SQD | | AV ALT_PATH ACCESS_FLAGS PKEY_INDEX PATH_MIG_STATE
            UC | SQD | RTS | | CUR_STATE ACCESS_FLAGS ALT_PATH PATH_MIG_STATE
            UD | RESET | INIT | PKEY_INDEX PORT QKEY |
            UD | INIT | INIT | | PKEY_INDEX PORT QKEY
            UD | INIT | RTR | | PKEY_INDEX QKEY
            UD | RTR | RTS | SQ_PSN | CUR_STATE QKEY
            UD | RTS | RTS | | CUR_STATE QKEY
            UD | RTS | SQD | | EN_SQD_ASYNC_NOTIFY
            UD | SQD | SQD | | PKEY_INDEX QKEY
            UD | SQD | RTS | | CUR_STATE QKEY
            """;
    /** States a queue pair can be brought to without traffic. */
    static final List<QueuePairState> REACHABLE = List.of(QueuePairState.RESET, QueuePairState.INIT,
            QueuePairState.RTR, QueuePairState.RTS, QueuePairState.SQD, QueuePairState.ERR);

    private static final List<Edge> EDGES =
            Stream.concat(TEXT.lines().map(TransitionTable::parse), anyEdges()).toList();

    private TransitionTable() {}

    /**
     * One legal transition.
     *
     * @param type of the queue pair
     * @param from where it starts
     * @param to where it ends
     * @param required attributes that must be given besides the state
     * @param optional attributes that may be given
     */
    record Edge(QueuePairType type, QueuePairState from, QueuePairState to, Set<QueuePairAttribute> required,
            Set<QueuePairAttribute> optional) {
        @Override
        public String toString() {
            return type + " " + from + " -> " + to;
        }
    }

    static List<Edge> edges() {
        return EDGES;
    }

    /** The way out of SQE, where only a failing send leads. */
    static Edge fromSendError(QueuePairType type) {
        return parse(type == QueuePairType.UC
                ? "UC | SQE | RTS | | CUR_STATE ACCESS_FLAGS"
                : "UD | SQE | RTS | | CUR_STATE QKEY");
    }

    static boolean isLegal(QueuePairType type, QueuePairState from, QueuePairState to) {
        return EDGES.stream().anyMatch(edge -> edge.type == type && edge.from == from && edge.to == to);
    }

    private static Edge parse(String line) {
        String[] columns = line.split("\\|", -1);
        return new Edge(QueuePairType.valueOf(columns[0].strip()), QueuePairState.valueOf(columns[1].strip()),
                QueuePairState.valueOf(columns[2].strip()), attributes(columns[3]), attributes(columns[4]));
    }

    private static Set<QueuePairAttribute> attributes(String column) {
        EnumSet<QueuePairAttribute> set = EnumSet.noneOf(QueuePairAttribute.class);
        for (String name : column.strip().split("\\s+")) {
            if (!name.isEmpty()) {
                set.add(QueuePairAttribute.valueOf(name));
            }
        }
        return set;
    }

    /** Any state may go to RESET, any but RESET to ERR, with no attribute besides the state. */
    private static Stream<Edge> anyEdges() {
        return Stream.of(QueuePairType.RC, QueuePairType.UC, QueuePairType.UD).flatMap(type -> REACHABLE.stream()
                .flatMap(from -> Stream.of(QueuePairState.RESET, QueuePairState.ERR)
                        .filter(to -> from != QueuePairState.RESET || to != QueuePairState.ERR)
                        .map(to -> new Edge(type, from, to, Set.of(), Set.of()))));
    }
}
