package io.verbena.bench;

/**
 * How many queue pairs a test uses, how deep, and how they are fed.
 *
 * @param qps queue pairs
 * @param txDepth sends in flight on each
 * @param rxDepth receives posted on each
 * @param postList work requests for each doorbell
 * @param cqMod one completion for so many work requests
 * @param inlineSize messages up to this many bytes are posted inline; 0 for none
 */
public record QueueShape(int qps, int txDepth, int rxDepth, int postList, int cqMod, int inlineSize) {
    /** Checks what can be checked without a device. */
    public QueueShape {
        OptionRange.QPS.check(qps);
        OptionRange.TX_DEPTH.check(txDepth);
        OptionRange.RX_DEPTH.check(rxDepth);
        OptionRange.POST_LIST.check(postList);
        OptionRange.CQ_MOD.check(cqMod);
        OptionRange.INLINE.check(inlineSize);
        if (postList > txDepth) {
            throw BadOptionException.value("-l", postList, "1 to " + txDepth + ", the depth given by -t");
        }
        if (cqMod > txDepth) {
            throw BadOptionException.value("-Q", cqMod, "1 to " + txDepth + ", the depth given by -t");
        }
    }

    /**
     * What perftest uses for a test.
     *
     * @param test the test
     * @return one queue pair; depth 128, 512 receives and one completion in 100 for bandwidth, one in flight and 64
     *     receives for latency
     */
    public static QueueShape defaults(PerfTest test) {
        return test.isBandwidth()
                ? new QueueShape(1, 128, 512, 1, 100, 0)
                : new QueueShape(1, 1, MessagePort.RECEIVES, 1, 1, 0);
    }
}
