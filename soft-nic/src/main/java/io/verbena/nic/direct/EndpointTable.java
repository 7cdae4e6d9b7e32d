package io.verbena.nic.direct;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The endpoints at one address by queue pair number, in pages that come and go. Changed under the control lock, read by
 * any thread.
 */
final class EndpointTable {
    private static final int PAGE_BITS = 12;
    private static final int PAGE_SIZE = 1 << PAGE_BITS;

    private final AtomicReferenceArray<Page> pages = new AtomicReferenceArray<>(PAGE_SIZE);

    /** The endpoints whose numbers differ in the low bits only. */
    private static final class Page {
        final AtomicReferenceArray<Endpoint> endpoints = new AtomicReferenceArray<>(PAGE_SIZE);
        int used;
    }

    /** The endpoint of a number, or null; any int, since it may come from a peer. */
    Endpoint find(int qpNum) {
        int high = qpNum >>> PAGE_BITS;
        Page page = high < PAGE_SIZE ? pages.get(high) : null;
        return page == null ? null : page.endpoints.get(qpNum & PAGE_SIZE - 1);
    }

    void add(Endpoint endpoint) {
        int high = endpoint.qpNum() >>> PAGE_BITS;
        Page page = pages.get(high);
        if (page == null) {
            page = new Page();
            pages.set(high, page);
        }
        page.used++;
        page.endpoints.set(endpoint.qpNum() & PAGE_SIZE - 1, endpoint);
    }

    void remove(Endpoint endpoint) {
        int high = endpoint.qpNum() >>> PAGE_BITS;
        Page page = pages.get(high);
        page.endpoints.set(endpoint.qpNum() & PAGE_SIZE - 1, null);
        if (--page.used == 0) {
            pages.set(high, null);
        }
    }
}
