/**
 * How two ends that know each other's TCP address become connected queue pairs: what they say about themselves, what
 * they agree on, who they are to each other, and why they didn't come together. Knows no connections and no memory: who
 * makes the queue pairs is told what to do, and the TCP connection stays as a sign of life.
 */
package io.verbena.async.handshake;
