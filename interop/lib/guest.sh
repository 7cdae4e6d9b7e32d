# shellcheck shell=bash
# Guests: small machines that share the host's files read-only, each with an rxe0 on a network of their own.
# Sourced by run.

network=10.77.0
near_address=$network.1

# A network namespace with a bridge, on which the host has the first address.
make_network() {
    ip netns add "$namespace" || no_rxe "can't make a network namespace (CAP_SYS_ADMIN and CAP_NET_ADMIN are needed)"
    made_namespace=$namespace
    inside ip link set lo up
    inside ip link add name br0 type bridge
    inside ip link set br0 mtu "$ethernet_mtu"
    inside ip addr add "$near_address/24" dev br0
    inside ip link set br0 up
}

inside() { ip netns exec "$namespace" "$@"; }

# boot NUMBER: starts the guest whose address ends in NUMBER, by emulation where virtualization fails.
boot() {
    local tap=tap$1
    inside ip tuntap add dev "$tap" mode tap || no_rxe "can't make a tap device (is there a /dev/net/tun?)"
    inside ip link set "$tap" mtu "$ethernet_mtu" txqueuelen 20000 master br0 up # UC sends bursts
    if [[ ${INTEROP_ACCEL:-kvm} == kvm && -w /dev/kvm ]] && start "$1" kvm host,-arch-capabilities 60; then
        return
    fi
    # On a busy machine an emulated one sometimes fails to boot.
    start "$1" tcg,thread=multi max 400 || start "$1" tcg,thread=multi max 400 ||
        no_rxe "the guest did not come up (see $state/console)"
}

# start NUMBER ACCELERATOR CPU SECONDS: true once the guest executes commands, which takes 3 to 10 s on an idle machine.
start() {
    local number=$1 pid
    say "booting a guest with $(kernel_version) ($2)"
    ip netns exec "$namespace" qemu-system-x86_64 -name "verbena-interop-$number" -M pc -accel "$2" -cpu "$3" -m 512 \
        -nodefaults -no-user-config -display none -no-reboot -serial "file:$state/console" \
        -kernel "$kernel"/boot/vmlinuz-* -initrd "$run/initrd.cpio" \
        -append "console=ttyS0 panic=-1 net.ifnames=0 mitigations=off no_timer_check nowatchdog random.trust_cpu=on \
interop.address=$network.$number interop.mtu=$ethernet_mtu" \
        -fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap \
        -device virtio-9p-pci,fsdev=host,mount_tag=host \
        -netdev "tap,id=net,ifname=tap$number,script=no,downscript=no" \
        -device "virtio-net-pci,netdev=net,romfile=,mac=52:54:00:77:00:0$number" \
        </dev/null >"$run/qemu" 2>&1 &
    pid=$!
    await_guest "$number" $pid "$4" && return 0
    tail -qn 5 "$run/qemu" "$state/console" >&2 || true
    kill $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
    return 1
}

await_guest() {
    local deadline=$((SECONDS + $3))
    until in_guest "$1" true >/dev/null 2>&1; do
        if ! kill -0 "$2" 2>/dev/null || ((SECONDS > deadline)); then
            return 1
        fi
        sleep 0.2
    done
}

# in_guest NUMBER COMMAND: runs a command of the shell there; its output and exit status.
in_guest() {
    # shellcheck disable=SC2016 # the inner shell expands them
    inside bash -c '
        exec 3<>"/dev/tcp/$1/9999" || exit 125
        printf "%s\n.\n" "$2" >&3
        while IFS= read -r line <&3; do
            [[ ! $line =~ ^status\ ([0-9]+)$ ]] || exit "${BASH_REMATCH[1]}"
            printf "%s\n" "$line"
        done
        exit 125' in_guest "$network.$1" "$2" 2>"$run/guest.error"
}

# Ends what runs in the network, guests among it, and takes it away; at exit, whatever has happened.
remove_network() {
    local pids
    [[ -n $made_namespace ]] || return 0
    mapfile -t pids < <(ip netns pids "$made_namespace")
    if ((${#pids[@]} > 0)); then
        kill "${pids[@]}" 2>/dev/null
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            kill -0 "${pids[@]}" 2>/dev/null || break
            sleep 0.1
        done
        kill -9 "${pids[@]}" 2>/dev/null
    fi
    ip netns del "$made_namespace"
}
