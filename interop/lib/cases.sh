# shellcheck shell=bash
# How a case is run: commands for both sides, one of which serves. Sourced by run.

port=18515
case_seconds=120
server_pid=/run/$namespace.pid

# run_case KIND WHAT ROLE SIZE PATH_MTU
run_case() {
    local kind=$1 what=$2 role=$3 size=$4 mtu=$5 near far iterations started reason capture=''
    started=$(now_ms) lost=''
    if [[ $kind == loss ]] && ! lose 2%; then
        reason="no losses can be made: $(end_of "$run/netem")$(end_of "$run/guest.error")"
        lose nothing
        report skipped "$*" "$reason"
        return
    fi
    case $what in
        rc | uc | ud | srq)
            iterations=$((size > 100000 ? 20 : 200))
            near=$(near_pingpong "$what" "$size" "$mtu" $iterations)
            far=$(c_pingpong "$far_device" "$far_gid" "$what" "$size" "$mtu" $iterations)
            ;;
        *)
            near="$near_peer $port $what $size $mtu"
            far="$c_peer $far_device $far_gid $port $what $size $mtu"
            ;;
    esac
    [[ -z $pcap ]] || start_capture "$*"
    if [[ $role == server ]]; then
        meet on_near "$near" on_far "$far $near_address"
    else
        meet on_far "$far" on_near "$near $far_address"
    fi
    reason=$outcome
    [[ -z $capture ]] || end_capture "$capture"
    if [[ $kind == loss ]]; then
        lost=$(packets_lost)
        lose nothing
        [[ -n $reason || $lost != 0 ]] || reason="no packet was lost, so this says nothing"
    fi
    if [[ -z $reason ]]; then
        report passed "$*" '' $(($(now_ms) - started))
    else
        report failed "$*" "$reason" $(($(now_ms) - started))
    fi
}

# Captures the RoCE packets of a case on Verbena's side of losses; sets capture to the process.
start_capture() {
    ip netns exec "$namespace" tcpdump -i "$wire" -Z root -U --immediate-mode -w "$pcap/${1// /-}.pcap" udp port 4791 \
        </dev/null >"$run/tcpdump" 2>&1 &
    capture=$!
    while kill -0 "$capture" 2>/dev/null && ! grep -q 'listening on' "$run/tcpdump"; do sleep 0.05; done
    kill -0 "$capture" 2>/dev/null || say "no capture of $1: $(end_of "$run/tcpdump")"
}

end_capture() {
    kill "$1" 2>/dev/null || true
    wait "$1" || true
}

# The programs of libibverbs.
c_pingpong() {
    echo "ibv_$3_pingpong -d $1 -g $2 $(pingpong_options "${@:3}")"
}

verbena_pingpong() {
    echo "$java io.verbena.cli.Main pingpong $1 --link udp --bind $near_address $(pingpong_options "$@")"
}

# pingpong_options SERVICE SIZE PATH_MTU ITERATIONS: ud has no path MTU. 16 queue pairs with 1 MiB each keep an emulated
# guest busy for longer than their 8 tries of 67 ms take.
pingpong_options() {
    local options="-p $port -s $2 -n $4 -c"
    [[ $1 == ud ]] || options+=" -m $3"
    [[ $1 != srq ]] || (($2 < 100000)) || options+=" -q $(($3 > 256 ? 4 : 1))"
    echo "$options"
}

# meet SERVER_SIDE COMMAND CLIENT_SIDE COMMAND: sets outcome to what went wrong, nothing when all was right.
meet() {
    local server server_status=0 client_status=0
    outcome=
    "$1" "echo \$\$ >$server_pid; exec timeout $case_seconds $2" >"$run/server" 2>&1 &
    server=$!
    if ! await_listening "$1" $server; then
        wait $server || server_status=$?
        outcome="the server ($(side "$1")) did not listen: $(end_of "$run/server")"
        return
    fi
    "$3" "timeout $case_seconds $4" >"$run/client" 2>&1 || client_status=$?
    if ((client_status != 0)); then
        "$1" "kill \$(cat $server_pid)" >/dev/null 2>&1 || true # nobody comes any more
    fi
    wait $server || server_status=$?
    if ((client_status != 0)); then
        outcome="client ($(side "$3")) exit status $client_status: $(end_of "$run/client"); "
    fi
    if ((server_status != 0 && server_status != 143)); then
        outcome+="server ($(side "$1")) exit status $server_status: $(end_of "$run/server")"
    fi
    if grep -q 'invalid data' "$run/server" "$run/client"; then
        outcome+="invalid data"
    fi
}

# Waits until the port is open, or the server process that should open it has ended.
await_listening() {
    while kill -0 "$2" 2>/dev/null; do
        # shellcheck disable=SC2016 # the other side's shell expands it
        "$1" 'for i in 1 2 3 4 5 6 7 8 9 10; do
            ss -ltnH "sport = :'$port'" | grep -q . && exit 0; sleep 0.05; done; exit 1' >/dev/null 2>&1 && return 0
    done
    return 1
}

side() { [[ $1 == on_near ]] && echo "$near_name" || echo "Linux rxe"; }
end_of() { grep -v '^ *$' "$1" | tail -n 2 | tr '\n' ' ' | cut -c 1-300 || true; }

# Makes the Linux side's network device lose RoCE packets both ways, and nothing else, or stop losing.
lose() {
    local device=$far_netdev match="protocol ip u32 match ip protocol 17 0xff match ip dport 4791 0xffff"
    local clear="tc qdisc del dev $device root; tc qdisc del dev $device ingress; ip link del ${device}in"
    if [[ $1 == nothing ]]; then
        on_far "$clear" >/dev/null 2>&1
        return 0
    fi
    on_far "{ $clear; } >/dev/null 2>&1
        set -e
        tc qdisc add dev $device root handle 1: prio bands 4
        tc qdisc add dev $device parent 1:4 netem loss $1 limit 100000
        tc filter add dev $device parent 1: $match flowid 1:4
        ip link add ${device}in type ifb
        ip link set ${device}in up
        tc qdisc add dev ${device}in root netem loss $1 limit 100000
        tc qdisc add dev $device handle ffff: ingress
        tc filter add dev $device parent ffff: $match action mirred egress redirect dev ${device}in" \
        >"$run/netem" 2>&1
}

packets_lost() {
    on_far "tc -s qdisc show dev $far_netdev; tc -s qdisc show dev ${far_netdev}in" |
        awk '$1 == "qdisc" { netem = $2 == "netem" } netem && sub(/.*dropped /, "") { lost += $1 } END { print lost + 0 }'
}
