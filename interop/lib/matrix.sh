# shellcheck shell=bash
# The cases, one a line: KIND WHAT ROLE SIZE PATH_MTU, where ROLE is Verbena's. Sourced by run.

# Those that were asked for.
cases() { matrix | grep -E -e "$only"; }

matrix() {
    local role mtu
    for role in server client; do
        for mtu in 256 1024 4096; do
            each "pingpong rc|uc|srq $role 1|4096|1048576 $mtu" # rxe registers no memory of 0 bytes
            each "operation send|send_imm|write|write_imm|read $role 0|1|5000|1048576 $mtu"
            each "operation uc_send_imm|uc_write|uc_write_imm $role 0|5000|65536 $mtu"
            each "operation cmp_swap|fetch_add $role 8 $mtu"
            each "operation send_inv $role 5000 $mtu"
        done
        # A datagram is one packet, so its size is what a path MTU is elsewhere.
        each "pingpong ud $role 0|1|256|1024|4096 4096"
        each "operation ud_send_imm $role 0|1|1024|4096 4096"
        each "operation rnr|rnr_exceeded $role 5000 1024"
        each "operation wrong_rkey_write|wrong_rkey_read|wrong_rkey_atomic|stale_rkey_write $role 5000 1024"
        each "loss send|write|read $role 1048576 1024|4096"
        each "loss fetch_adds $role 8 1024"
    done
}

# Every combination of words of which one | separates several.
each() {
    local -a words parts
    local i part
    read -r -a words <<<"$1"
    for i in "${!words[@]}"; do
        if [[ ${words[i]} == *'|'* ]]; then
            IFS='|' read -r -a parts <<<"${words[i]}"
            for part in "${parts[@]}"; do
                each "${words[*]:0:i} $part ${words[*]:i+1}"
            done
            return
        fi
    done
    local IFS=' '
    echo "${words[*]}"
}
