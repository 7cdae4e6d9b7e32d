package io.verbena.nic.wire;

import io.verbena.nic.counters.NicCounters;
import io.verbena.nic.stat.DeviceCounter;
import io.verbena.rc.packet.Verdict;
import io.verbena.verbs.QueuePairType;

/** What becomes of packets, counted. */
final class PacketCounts {
    private final NicCounters counters;

    PacketCounts(NicCounters counters) {
        this.counters = counters;
    }

    void received(int packets) {
        if (packets > 0) {
            counters.add(DeviceCounter.RCVD_PKTS, packets);
        }
    }

    void sent(int packets) {
        if (packets > 0) {
            counters.add(DeviceCounter.SENT_PKTS, packets);
        }
    }

    /** Counts a packet that can't be sent to where it should go. */
    void unreachable(WiredPair pair) {
        if (pair.endpoint().type() == QueuePairType.UD) {
            counters.add(DeviceCounter.UD_DROP_UNKNOWN_QPN, 1);
        }
    }

    /** Counts a packet that was not simply taken; for which queue pair, null for none. */
    void dropped(Verdict why, WiredPair pair) {
        boolean datagram = pair != null && pair.endpoint().type() == QueuePairType.UD;
        counters.add(switch (why) {
            case ACCEPTED -> throw new IllegalArgumentException("a packet that was accepted was not dropped");
            case DUPLICATE -> DeviceCounter.DUPLICATE_REQUEST;
            case OUT_OF_SEQUENCE -> DeviceCounter.OUT_OF_SEQ_REQUEST;
            case BAD_LENGTH -> DeviceCounter.PKT_DROP_BAD_LENGTH;
            case TOO_LONG -> DeviceCounter.PKT_DROP_TOO_LONG;
            case UNKNOWN_OPCODE -> DeviceCounter.PKT_DROP_UNKNOWN_OPCODE;
            case BAD_VERSION -> DeviceCounter.PKT_DROP_BAD_VERSION;
            case BAD_ICRC -> DeviceCounter.PKT_DROP_BAD_ICRC;
            case NOT_OURS, UNKNOWN_QP -> DeviceCounter.PKT_DROP_UNKNOWN_QPN;
            case WRONG_TRANSPORT -> DeviceCounter.PKT_DROP_WRONG_TRANSPORT;
            case WRONG_STATE -> DeviceCounter.PKT_DROP_WRONG_STATE;
            case FOREIGN_SOURCE -> DeviceCounter.PKT_DROP_FOREIGN_SOURCE;
            case BAD_PKEY -> DeviceCounter.PKT_DROP_BAD_PKEY;
            case BAD_QKEY -> DeviceCounter.UD_DROP_BAD_QKEY;
            case STALE -> DeviceCounter.PKT_DROP_STALE;
            case FORGOTTEN -> DeviceCounter.PKT_DROP_FORGOTTEN;
            case NO_RECEIVE -> datagram ? DeviceCounter.UD_DROP_NO_RECEIVE : DeviceCounter.UC_DROP_NO_RECEIVE;
            case DOES_NOT_FIT -> datagram ? DeviceCounter.UD_DROP_TOO_LONG : DeviceCounter.UC_DROP_TOO_LONG;
            case BROKEN_MESSAGE -> DeviceCounter.UC_DROP_BROKEN_MESSAGE;
            case NOT_ALLOWED -> DeviceCounter.UC_DROP_NOT_ALLOWED;
            case CONGESTION -> DeviceCounter.CNP_HANDLED;
        }, 1);
    }
}
