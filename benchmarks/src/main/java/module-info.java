/** Performance tools in the manner of perftest. What they measure of verbs
 * they do through the API alone, so they measure any provider; other libraries are what verbs are compared with. */
module io.verbena.bench {
    requires io.verbena.async;
    requires transitive io.verbena.verbs;
    requires jdk.jfr;
    requires jdk.management;
    requires HdrHistogram;
    requires io.aeron.client;
    requires io.aeron.driver;
    requires io.netty.buffer;
    requires io.netty.common;
    requires io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires org.agrona;

    exports io.verbena.bench;
}
