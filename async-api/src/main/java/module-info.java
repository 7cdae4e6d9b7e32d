/**
 * The asynchronous API: connections, registered memory, and operations that return futures, over every device that the
 * verbs API finds.
 */
module io.verbena.async {
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires io.netty.transport;
    requires transitive io.verbena.verbs;
    requires org.agrona;

    exports io.verbena;
}
