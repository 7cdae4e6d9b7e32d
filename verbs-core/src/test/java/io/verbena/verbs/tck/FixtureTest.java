package io.verbena.verbs.tck;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A case that gets both sides fresh for every test and closes them after it, which is part of the test. */
abstract class FixtureTest {
    Fixture fixture;

    @BeforeEach
    void openBothSides() {
        fixture = new Fixture();
    }

    @AfterEach
    void closeBothSides() {
        fixture.close();
    }
}
