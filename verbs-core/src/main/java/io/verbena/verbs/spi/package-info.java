/**
 * What a device provider implements and what providers share. Applications use {@link io.verbena.verbs.Devices}.
 */
package io.verbena.verbs.spi;
