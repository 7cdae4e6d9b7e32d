package io.verbena.verbs;

/**
 * A control call was refused or failed. Says which call and argument, the value given, and what is allowed.
 * Posting, polling and arming throw it only for a
 * missing argument; everything else they answer by a code.
 */
public class VerbsException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Errno errno;
    private final String argument;

    /**
     * Makes an exception with a complete message.
     *
     * @param errno the cause, as errno(3) names it
     * @param argument the argument or attribute at fault, or an empty string
     * @param message what was asked, what is allowed, and what to do
     */
    public VerbsException(Errno errno, String argument, String message) {
        super(errno + ": " + message);
        this.errno = errno;
        this.argument = argument;
    }

    /**
     * Reports an argument whose value is not allowed.
     *
     * @param argument the argument's name
     * @param value the value given
     * @param allowed what would have been allowed
     * @return an exception with cause {@link Errno#EINVAL}
     */
    public static VerbsException invalid(String argument, Object value, String allowed) {
        return new VerbsException(Errno.EINVAL, argument, argument + " is " + value + "; allowed: " + allowed);
    }

    /**
     * Reports a call on an object that other objects still use.
     *
     * @param object the object that was to be closed or changed
     * @param users what still uses it
     * @return an exception with cause {@link Errno#EBUSY}
     */
    public static VerbsException busy(String object, String users) {
        return new VerbsException(Errno.EBUSY, object, object + " is still used by " + users + "; close those first");
    }

    /**
     * Reports something this device does not do.
     *
     * @param what the operation or attribute
     * @param instead what the device supports
     * @return an exception with cause {@link Errno#EOPNOTSUPP}
     */
    public static VerbsException unsupported(String what, String instead) {
        return new VerbsException(Errno.EOPNOTSUPP, what, what + " is not supported by this device; " + instead);
    }

    /**
     * Reports a call on an object that has been closed.
     *
     * @param object the closed object
     * @return an exception with cause {@link Errno#EINVAL}
     */
    public static VerbsException closed(String object) {
        return new VerbsException(Errno.EINVAL, object, object + " is closed; create a new one");
    }

    /**
     * The cause, as errno(3) names it.
     *
     * @return never null
     */
    public Errno errno() {
        return errno;
    }

    /**
     * The argument, attribute or object at fault.
     *
     * @return its name; empty when no single one is at fault
     */
    public String argument() {
        return argument;
    }
}
