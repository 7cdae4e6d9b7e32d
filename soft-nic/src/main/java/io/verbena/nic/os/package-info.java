/** The few things of Linux that Java lacks: memory files, sockets that carry descriptors, advice about pages. */
package io.verbena.nic.os;
