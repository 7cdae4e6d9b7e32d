/** Performance tools in the manner of perftest. They use the verbs API alone, so they measure any provider. */
module io.verbena.bench {
    requires transitive io.verbena.verbs;
    requires jdk.management;
    requires HdrHistogram;

    exports io.verbena.bench;
}
