# Sourced by ./run: the long trials of a commit, of which `check` runs samples.

# The kinds of trials, how many of each, and how many a step has.
trial_kinds=("years 2000 50" "stripe-years 100 1" "payment-states 100 1" "kills 300 50" "server-kills 300 100")

# run_trials [KIND…] runs what the results of this commit lack, in .build/trials/COMMIT.tsv: a line for each step that
# ended, with kind, first seed, number, seconds, result and the last line that it printed. A trial that was stopped goes on
# with the step that it was in. It ends at the first failure and names the log.
run_trials() {
    local kind entry total size first rest number code started log results commit last known
    if ! git diff --quiet HEAD -- . ':!docs'; then
        say "the results belong to a commit: commit the changes first"
        exit 2
    fi
    for kind in "$@"; do
        known=$(printf '%s\n' "${trial_kinds[@]}" | cut -d' ' -f1 | tr '\n' ' ')
        case " $known" in *" $kind "*) ;; *) say "trials knows ${known% }, not '$kind'" && exit 2 ;; esac
    done
    commit=$(git rev-parse --short=12 HEAD)
    mkdir -p .build/trials
    results=.build/trials/$commit.tsv
    touch "$results"
    for entry in "${trial_kinds[@]}"; do
        read -r kind total size <<<"$entry"
        [ $# -eq 0 ] || case " $* " in *" $kind "*) ;; *) continue ;; esac
        prepare_trial "$kind"
        for ((first = 1; first <= total; first += size)); do
            rest=$((total - first + 1))
            number=$((rest < size ? rest : size))
            if grep -q "^$kind	$first	$number	[0-9]*	passed	" "$results"; then continue; fi
            log=.build/trials/$commit-$kind-$first.log
            started=$(date +%s)
            code=0
            run_trial "$kind" "$first" "$number" >"$log" 2>&1 || code=$?
            last=$(tail -n 1 "$log" | tr '\t' ' ')
            # A signal ended it: the step has no result.
            [ $code -le 128 ] || exit $code
            printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$kind" "$first" "$number" $(($(date +%s) - started)) \
                "$([ $code = 0 ] && echo passed || echo failed)" "$last" >>"$results"
            say "$kind $first to $((first + number - 1)) of $total: $last"
            [ $code = 0 ] || { say "failed, see $log"; exit 1; }
            rm -f "$log"
        done
    done
    say "results in $results"
    cat "$results"
}

# Builds what a kind runs.
prepare_trial() {
    case $1 in
    years) install_prerequisites && swift build -c release --product year-simulation 1>&2 ;;
    stripe-years | payment-states | kills) build_command_line ;;
    server-kills) require_postgres && build_command_line ;;
    esac
}

# run_trial KIND FIRST NUMBER
run_trial() {
    case $1 in
    years) .build/release/year-simulation --from "$2" --seeds "$3" ;;
    stripe-years) python3 Tests/StripeYear/year.py .build/debug/external-purchase --from "$2" --seeds "$3" ;;
    payment-states) python3 Tests/StripeYear/states.py .build/debug/external-purchase --from "$2" --seeds "$3" ;;
    kills) python3 Tests/Kill/kill_server.py .build/debug/external-purchase --seed "$2" --rounds "$3" ;;
    server-kills) kill_servers --seed "$2" --rounds "$3" --freezes 1 ;;
    esac
}
