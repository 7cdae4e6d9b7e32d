package io.verbena;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A test that runs over loopback, over shared memory, by packets, and by packets of which 5 % get lost: its argument is
 * the link, for {@link Ends#open(String)}, {@link Met}, {@link MemoryFixture} or {@link TestDevices#device}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@MethodSource("io.verbena.TestDevices#all")
@interface EveryLink {}
