package io.verbena.async.handshake;

/** Where a handshake is, and what it waits for there. */
enum Step {
    CONNECTING("the TCP connection"),
    SECURING("TLS"),
    SECURED("the other end's certificate to be checked"),
    OPEN("the other end's first frame"),
    CHALLENGE("the server's first frame"),
    HELLO("the client's hello"),
    OFFER("this end's program to make its queue pair"),
    ANSWER("the server's hello"),
    LOCAL_READY("this end's program to connect its queue pair"),
    READY("the client to be ready"),
    ESTABLISH("this end's program to take the connection"),
    ACK("the server to take the connection"),
    LINKED("nothing: it is done"),
    ENDED("nothing: it is over");

    private final String awaited;

    Step(String awaited) {
        this.awaited = awaited;
    }

    String awaited() {
        return awaited;
    }
}
