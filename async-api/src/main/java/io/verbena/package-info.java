/**
 * RDMA without knowing verbs: nodes, connections, registered memory, and operations that return futures.
 *
 * <p>A program opens a {@link io.verbena.RdmaNode}, and gets connections from it: as a server,
 *
 * {@snippet :
 * try (RdmaNode node = RdmaNode.open("soft?link=shm");
 *         RdmaServer server = node.listen(new InetSocketAddress("localhost", 18516));
 *         RdmaConnection client = server.accept().join();
 *         LocalMemory page = node.memory().allocate(4096);
 *         MemoryLease lease = page.expose(Access.REMOTE_WRITE)) {
 *     client.sendMemory(lease).join(); // the client may write into the page from now on
 *     int bytes = client.receiveWriteImm().join(); // it has
 *     use(page.readable().asSlice(0, bytes));
 * }
 * }
 *
 * and as a client:
 *
 * {@snippet :
 * try (RdmaNode node = RdmaNode.open("soft?link=shm");
 *         RdmaConnection server = node.connect(new InetSocketAddress("localhost", 18516)).join();
 *         LocalMemory text = node.memory().allocate(5)) {
 *     text.writable().copyFrom(MemorySegment.ofArray("hello".getBytes()));
 *     RemoteMemory page = server.receiveMemory().join();
 *     server.writeWithImm(text, page.slice(0, 5), 5).join();
 * }
 * }
 *
 * <p><b>Failures.</b> What went wrong is an {@link io.verbena.RdmaException}, or an IllegalArgumentException or
 * IllegalStateException for a mistake of the caller's. Futures fail with it: {@code join} throws a CompletionException
 * and {@code get} an ExecutionException around it, {@code exceptionNow} gives it as it is.
 *
 * <p><b>Threads.</b> Everything may be used by any thread, platform or virtual, and whoever waits helps to drive.
 * Dependents of futures run on the node's executor, those of {@code accept} and {@code connect} too: a virtual thread
 * for each unless {@link io.verbena.DeliveryConfig} names another. It also works off what peers ask for, so don't block
 * all threads of one of your own. Callbacks and handlers run on the thread that drives, or on workers if the node has
 * some.
 */
package io.verbena;
