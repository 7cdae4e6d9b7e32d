package io.verbena.cli.shell;

/** What the shell says about itself, in lines of at most 100 characters. */
final class Texts {
    private Texts() {}

    /** What is there when the shell starts, with the two ends or without them. */
    static String banner(String version, boolean prepared) {
        String head = "Verbena " + version + ": verbs calls, one a line. help() tells more, /exit ends.\n";
        return head + (prepared
                ? """
                  context, device, pd      an open device and a protection domain
                  a, b                     two connected ends, each with qp, cq, mr, buffer, channel:
                                           a.put(0, "hello")   a.write(0, 6, 0)   await(a)   b.text(0)
                  qpA qpB cqA cqB mrA mrB  the same objects for calls as in the verbs API:
                                           qpA.postSend(1, mrA.address(), 6, mrA.lkey(), SIGNALED)
                  node, left, right        two connected ends of the asynchronous API and their node:
                                           var memory = node.memory().allocate(6)
                                           left.send(memory)   right.receive().join()
                """.indent(2)
                : "  Nothing is open yet: var context = Devices.open(\"soft\")\n");
    }

    /** What can be called. */
    static String help() {
        return """
                Look
                  show(x, ...)                       an end, pair, queue pair, completion queue, region, ...
                  hexdump(mr, offset, length)        bytes of a region, an end or a MemorySegment
                  poll(cq)  pollAll(cq)  await(cq)   one completion or null; all; one within 5 s. An end will do
                  events(context)                    takes and acknowledges the asynchronous events
                  explain(x)  check(status)          what the code of a post, or a completion, means; fail
                                                     unless the code is OK
                Make
                  connect(qpA, qpB)  connect(a, b)   to RTS from any state; also after an error
                  pair(pd, QueuePairType.RC)         two more ends, connected: .a() and .b()
                  new End("c", pd, QueuePairType.RC) one more end, to be connected
                With an end; offsets count from the start of its memory, wrIds from 1
                  a.put(offset, "text")  a.text(offset)  a.putLong(offset, value)  a.getLong(offset)
                  a.receive(offset, length)
                  a.send(offset, length)             a.sendImm(offset, length, imm)
                  a.write(offset, length, peerOffset)   a.writeImm(offset, length, peerOffset, imm)
                  a.read(offset, length, peerOffset)
                  a.fetchAndAdd(offset, peerOffset, add)
                  a.compareAndSwap(offset, peerOffset, expected, swap)
                With the asynchronous API: node makes, left and right send to each other
                  node.memory().allocate(bytes)      registered memory; .writable(), .readable(): its bytes
                  left.send(memory)                  right.receive().join(): the message, to be closed
                  memory.expose(REMOTE_READ)         right.sendMemory(lease), left.receiveMemory().join()
                  left.read(memory, remote)          write, writeWithImm, compareAndSwap, fetchAndAdd
                Imported: io.verbena.*, io.verbena.verbs.*, java.lang.foreign.*, the constants of Access and
                SendFlags, and what jshell imports. Tutorials: docs/tutorial.md (verbs), docs/async.md.
                """;
    }
}
