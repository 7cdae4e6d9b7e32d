package io.verbena.nic.ring;

/** Keeps whatever object lies before a lane off the line of {@link LaneShared}. */
abstract class LanePadding0 {
    long n00, n01, n02, n03, n04, n05, n06, n07, n08, n09, n10, n11, n12, n13, n14;
}
