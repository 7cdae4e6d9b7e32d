/**
 * RDMA without knowing verbs: nodes, connections, registered memory, and operations that return futures.
 */
package io.verbena;
