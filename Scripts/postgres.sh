# Sourced by ./run: the tests of the ledger in PostgreSQL, against a server of their own.

# The folder of PostgreSQL's programs: Debian's newest, or that of the path.
postgres_programs() {
    local newest
    newest=$(find /usr/lib/postgresql -mindepth 3 -maxdepth 3 -path '*/bin/initdb' 2>/dev/null | sort -t/ -k5 -n | tail -1)
    [ -n "$newest" ] || newest=$(command -v initdb || true)
    [ -z "$newest" ] || dirname "$newest"
}

# Installs Debian's server, which brings libpq, where it is missing and apt-get can.
install_postgres() {
    [ "$(uname -s)" = Linux ] && command -v apt-get >/dev/null || return 0
    local missing=()
    [ -n "$(postgres_programs)" ] || missing+=(postgresql)
    [ ${#missing[@]} -gt 0 ] || return 0
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || return 0
        as_root=(sudo)
    fi
    say "installing with apt-get: ${missing[*]}"
    "${as_root[@]}" apt-get update -qq || return 0
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null || return 0
}

# as_postgres COMMAND…: initdb and the server refuse root.
as_postgres() {
    if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

# Starts a server in the folder $1 and prints its connection string; fails where none can be started.
start_postgres() {
    local folder=$1 programs port
    programs=$(postgres_programs)
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])') || return
    [ "$(id -u)" != 0 ] || chown postgres "$folder" || return
    as_postgres "$programs/initdb" -D "$folder/data" -U ledger -A trust -E UTF8 --locale=C >"$folder/initdb.log" || return
    as_postgres "$programs/pg_ctl" -D "$folder/data" -w -l "$folder/server.log" \
        -o "-p $port -k $folder -c listen_addresses=127.0.0.1 -c max_connections=200" start >/dev/null || return
    printf 'host=127.0.0.1 port=%s user=ledger dbname=postgres' "$port"
}

# stop_postgres FOLDER
stop_postgres() {
    as_postgres "$(postgres_programs)/pg_ctl" -D "$1/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$1"
}

# with_postgres COMMAND… runs a command whose tests find a server of PostgreSQL, which is started for it. Without the server's
# programs the command runs without one, unless POSTGRES=required.
with_postgres() {
    reason="PostgreSQL's server (initdb) is not installed"
    if [ -z "$(postgres_programs)" ] || ! command -v python3 >/dev/null; then
        skip "the ledger in PostgreSQL" "${POSTGRES:-}"
        "$@"
        return
    fi
    (
        set -e
        folder=$(mktemp -d)
        chmod 755 "$folder"
        trap 'stop_postgres "$folder"' EXIT
        if EXTERNAL_PURCHASE_TEST_POSTGRES=$(start_postgres "$folder" 2>"$folder/errors.log"); then
            export EXTERNAL_PURCHASE_TEST_POSTGRES
        else
            unset EXTERNAL_PURCHASE_TEST_POSTGRES
            cat "$folder"/*.log >&2
            reason="no server of PostgreSQL could be started, see above"
            skip "the ledger in PostgreSQL" "${POSTGRES:-}"
        fi
        "$@"
    )
}

# require_postgres ends the script where no server can be had.
require_postgres() {
    install_postgres
    [ -z "$(postgres_programs)" ] || return 0
    say "this needs PostgreSQL's server (initdb)"
    exit 2
}

# kill_servers [OPTION…] kills two servers on one ledger.
kill_servers() {
    (
        set -e
        folder=$(mktemp -d)
        chmod 755 "$folder"
        trap 'stop_postgres "$folder"' EXIT
        port=$(start_postgres "$folder" | sed 's/.*port=\([0-9]*\).*/\1/')
        python3 Tests/Kill/kill_servers.py .build/debug/external-purchase \
            "postgres://ledger@127.0.0.1:$port/postgres" "$@"
    )
}
