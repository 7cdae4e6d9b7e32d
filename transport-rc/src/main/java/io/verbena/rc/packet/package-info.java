/**
 * Packets of RoCEv2: what each opcode carries, views and writers over native memory, the invariant CRC, and arithmetic
 * of packet sequence numbers. Nothing here throws for what a peer sent, and nothing allocates once it is made.
 */
package io.verbena.rc.packet;
