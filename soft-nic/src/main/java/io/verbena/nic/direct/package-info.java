/**
 * The direct engine: the initiator of a work request executes it on the memory of both ends. Start reading at
 * {@link io.verbena.nic.direct.Requester#postWrite}.
 */
package io.verbena.nic.direct;
