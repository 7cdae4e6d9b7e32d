package io.verbena.nic;

import io.verbena.nic.direct.Path;
import io.verbena.nic.direct.PostingRules;
import io.verbena.verbs.AddressVector;
import io.verbena.verbs.QueuePairCapabilities;

/** What the queue pairs of a NIC mostly have in common. */
final class Shared {
    final LastSeen<Path.Responding> responding = new LastSeen<>();
    final LastSeen<Path.Requesting> requesting = new LastSeen<>();
    final LastSeen<PostingRules> rules = new LastSeen<>();
    final LastSeen<AddressVector> vectors = new LastSeen<>();
    final LastSeen<QueuePairCapabilities> capabilities = new LastSeen<>();
}
