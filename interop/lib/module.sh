# shellcheck shell=bash
# The host's own rdma_rxe instead of a guest's: one end of a cable of two virtual network devices is Linux's, the other
# one lies in a namespace, since the driver takes port 4791 of its whole namespace. Sourced by run.

module_loaded() { [[ -d /sys/module/rdma_rxe && -d /sys/module/ib_uverbs ]]; }
module_present() { module_loaded || modprobe -n rdma_rxe >/dev/null 2>&1; }

use_module() {
    module_loaded || quietly modprobe -a rdma_rxe ib_uverbs || no_rxe "can't load rdma_rxe (see $state/log)"
    ip netns add "$namespace" || no_rxe "can't make a network namespace (CAP_SYS_ADMIN and CAP_NET_ADMIN are needed)"
    made_namespace=$namespace
    far_netdev=vbinterop far_device=rxe_interop wire=near
    quietly ip link add $far_netdev type veth peer name near netns "$namespace" ||
        no_rxe "can't make a pair of virtual network devices (see $state/log)"
    ip link set $far_netdev mtu "$ethernet_mtu" up
    ip addr add "$far_address/24" dev $far_netdev
    inside ip link set lo up
    inside ip link set near mtu "$ethernet_mtu" up
    inside ip addr add "$near_address/24" dev near
    quietly rdma link add $far_device type rxe netdev $far_netdev ||
        no_rxe "can't make an rxe device (see $state/log)"
    made_module_link=$far_device
}

on_module() { /bin/sh -c "$1"; }

remove_module_link() {
    [[ -z $made_module_link ]] || rdma link del "$made_module_link"
}
