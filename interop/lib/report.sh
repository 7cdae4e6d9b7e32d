# shellcheck shell=bash
# Results, for people or as one JSON object a line. Sourced by run.

passed=0 failed=0 skipped=0
lost='' # packets, in a case that loses some

say() { printf 'interop: %s\n' "$*" >&2; }

# report RESULT CASE [REASON] [MILLISECONDS]
report() {
    local result=$1 name=$2 reason=${3:-} ms=${4:-0}
    declare -g "$result=$((${!result} + 1))"
    if [[ $json == yes ]]; then
        printf '{"case":"%s","result":"%s","seconds":%d.%03d%s,"reason":"%s"}\n' "$(json_text "$name")" "$result" \
            $((ms / 1000)) $((ms % 1000)) "${lost:+,\"lost\":$lost}" "$(json_text "$reason")"
    elif [[ $result == passed ]]; then
        printf '%-8s %-62s %3d.%01d s%s\n' "$result" "$name" $((ms / 1000)) $((ms % 1000 / 100)) \
            "${lost:+, $lost packets lost}"
    else
        printf '%-8s %s: %s\n' "$result" "$name" "$reason"
    fi
}

json_text() { printf '%s' "$1" | tr '\n\t' '  ' | sed 's/[[:cntrl:]]//g; s/[\\"]/\\&/g'; }

summary() {
    if [[ $json == yes ]]; then
        printf '{"passed":%d,"failed":%d,"skipped":%d,"seconds":%d}\n' $passed $failed $skipped $SECONDS
    else
        printf '%d passed, %d failed, %d skipped in %d s\n' $passed $failed $skipped $SECONDS
    fi
    if ((failed > 0)); then
        exit 1
    elif ((skipped > 0 || passed == 0)); then
        exit 3
    fi
    exit 0
}

# Gives up before the first case: there is no Linux driver to test against, for this reason.
no_rxe() {
    local name
    if [[ $prepare == yes ]]; then
        say "$1"
        exit 3
    fi
    while IFS= read -r name; do
        report skipped "$name" "$1"
    done < <(cases)
    summary
}

# Runs a command whose output is of interest only when it fails.
quietly() { "$@" >>"$state/log" 2>&1; }

now_ms() { local now=${EPOCHREALTIME/[.,]/}; echo $((now / 1000)); }
