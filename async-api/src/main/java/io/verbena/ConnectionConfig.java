package io.verbena;

import java.time.Duration;

/**
 * What a connection is made from. Immutable; begin with {@link #DEFAULT}.
 *
 * @param queues how much is under way
 * @param transport reliability
 * @param messages messages
 * @param grants what the peer may ask for
 * @param backPressure what happens to an operation that finds no place
 * @param deadline how long operations may take that say nothing else; null for no limit
 * @param ownershipChecks whether operations are refused whose memory others in flight use; without the check two
 *     operations may write the same bytes, and posting costs less
 */
public record ConnectionConfig(
        QueueConfig queues, TransportConfig transport, MessageConfig messages, GrantConfig grants,
        BackPressure backPressure, Duration deadline, boolean ownershipChecks) {
    /** Usual values. */
    public static final ConnectionConfig DEFAULT = new ConnectionConfig(QueueConfig.DEFAULT, TransportConfig.DEFAULT,
            MessageConfig.DEFAULT, GrantConfig.DEFAULT, BackPressure.FAIL, null, true);

    /** Checks the values. */
    public ConnectionConfig {
        Checks.present("queues", queues);
        Checks.present("transport", transport);
        Checks.present("messages", messages);
        Checks.present("grants", grants);
        Checks.present("backPressure", backPressure);
        Checks.duration("deadline", deadline);
    }

    /** Places of the send queue, those for what the connection does by itself included. */
    int sendPlaces() {
        return queues.sends() + ConnectionLife.CONTROL_SENDS;
    }

    /** Places of the receive queue, likewise. */
    int receivePlaces() {
        return queues.receives() + (messages.raw() ? 0 : Frames.CONTROL_RECEIVES);
    }

    /**
     * The same with another value of queues.
     *
     * @param newQueues how much is under way
     * @return a changed copy
     */
    public ConnectionConfig withQueues(QueueConfig newQueues) {
        return new ConnectionConfig(newQueues, transport, messages, grants, backPressure, deadline,
                ownershipChecks);
    }

    /**
     * The same with another value of transport.
     *
     * @param newTransport reliability
     * @return a changed copy
     */
    public ConnectionConfig withTransport(TransportConfig newTransport) {
        return new ConnectionConfig(queues, newTransport, messages, grants, backPressure, deadline,
                ownershipChecks);
    }

    /**
     * The same with another value of messages.
     *
     * @param newMessages messages
     * @return a changed copy
     */
    public ConnectionConfig withMessages(MessageConfig newMessages) {
        return new ConnectionConfig(queues, transport, newMessages, grants, backPressure, deadline,
                ownershipChecks);
    }

    /**
     * The same with another value of grants.
     *
     * @param newGrants what the peer may ask for
     * @return a changed copy
     */
    public ConnectionConfig withGrants(GrantConfig newGrants) {
        return new ConnectionConfig(queues, transport, messages, newGrants, backPressure, deadline,
                ownershipChecks);
    }

    /**
     * The same with another value of backPressure.
     *
     * @param newBackPressure what happens to an operation that finds no place
     * @return a changed copy
     */
    public ConnectionConfig withBackPressure(BackPressure newBackPressure) {
        return new ConnectionConfig(queues, transport, messages, grants, newBackPressure, deadline,
                ownershipChecks);
    }

    /**
     * The same with another value of deadline.
     *
     * @param newDeadline how long operations may take that say nothing else; null for no limit
     * @return a changed copy
     */
    public ConnectionConfig withDeadline(Duration newDeadline) {
        return new ConnectionConfig(queues, transport, messages, grants, backPressure, newDeadline,
                ownershipChecks);
    }

    /**
     * The same with another value of ownershipChecks.
     *
     * @param newOwnershipChecks whether operations are refused whose memory others in flight use; without the check
     *     two operations may write the same bytes, and posting costs less
     * @return a changed copy
     */
    public ConnectionConfig withOwnershipChecks(boolean newOwnershipChecks) {
        return new ConnectionConfig(queues, transport, messages, grants, backPressure, deadline,
                newOwnershipChecks);
    }
}
