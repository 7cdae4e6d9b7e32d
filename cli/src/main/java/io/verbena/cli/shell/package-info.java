/**
 * The interactive shell: what its users call ({@link io.verbena.cli.shell.Shell}, {@link io.verbena.cli.shell.End}) and
 * what runs their snippets.
 */
package io.verbena.cli.shell;
