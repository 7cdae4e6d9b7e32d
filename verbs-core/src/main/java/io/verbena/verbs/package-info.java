/**
 * RDMA verbs for Java, after the model of libibverbs.
 *
 * <p>Start at {@link io.verbena.verbs.Devices}: open a {@link io.verbena.verbs.Context}, allocate a
 * {@link io.verbena.verbs.ProtectionDomain}, register memory, create a {@link io.verbena.verbs.CompletionQueue}
 * and a {@link io.verbena.verbs.QueuePair}, bring it to RTS, then post and poll.
 *
 * <p>Two planes are kept apart. Control calls (create, modify, register, close) validate everything, may block, and
 * throw {@link io.verbena.verbs.VerbsException}. Data calls (post, poll, arm) never block, never allocate and never
 * throw for an expected outcome: posting returns {@link io.verbena.verbs.PostStatus}, completions carry a
 * {@link io.verbena.verbs.WcStatus}.
 */
package io.verbena.verbs;
