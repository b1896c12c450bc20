"""Installs the package in a bare Debian system, runs the service's command there and does what docs/production.md says.

usage: debian_root.py FOLDER [--mirror URL] [--suite NAME] [--keep]

FOLDER is what `./run release` made. The system is a folder that debootstrap fills; every step runs in it with chroot, with
mounts and, after the installation, a network of its own, so that nothing else on the machine is touched or reached. No systemd
runs in it: the word `systemctl` of the documented commands starts and stops the unit's ExecStart as the unit's user. Where
systemd-nspawn can boot the folder, the quick start runs once more under systemd, in the unit's sandbox. Needs root.
"""

import hashlib
import json
import re
import shlex
import shutil
import subprocess
import sys

from debian_system import REPOSITORY, arguments, bare_system, check, one_file, own_network, passed

DATABASE = "/var/lib/external-purchase/external-purchase.sqlite"


def documented(*sections):
    """The commands of these sections of docs/production.md: blocks that say `sh`."""
    text = (REPOSITORY / "docs/production.md").read_text()
    found = []
    for section in sections:
        part = re.search(rf"^## {re.escape(section)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
        blocks = re.findall(r"^```sh\n(.*?)^```", part[1] if part else "", re.M | re.S)
        check(blocks, f"docs/production.md has commands under '{section}'")
        found.append(blocks)
    return found


def unit_values(unit):
    values = {}
    for line in unit.read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            name, value = line.split("=", 1)
            values.setdefault(name, []).append(value)
    return values


def main():
    options = arguments()
    package = one_file(options.folder, "*.deb")
    system = bare_system(options)

    # 1. The package with nothing but what it depends on; then what the documented commands use beside it.
    shutil.copy(package, system.root / "root")
    before = set(system.run("dpkg-query -W -f '${Package}\\n'").stdout.split())
    installed = system.run(f"apt-get update -qq && apt-get install -y -qq --no-install-recommends /root/{package.name}").stdout
    check("production.md" in installed, "the installation says that the server is not started, and what to read")
    brought = set(system.run("dpkg-query -W -f '${Package}\\n'").stdout.split()) - before
    check("external-purchase" in brought, f"installed, and with it: {', '.join(sorted(brought - {'external-purchase'})) or 'nothing'}")
    check(system.run("dpkg --verify external-purchase").stdout == "", "dpkg --verify finds every file as packed")
    version = system.run("dpkg-query -W -f '${Version}' external-purchase").stdout
    printed = system.run("external-purchase --version").stdout.strip()
    check(version.startswith(printed), f"package {version}, external-purchase --version {printed}")
    account = system.run("getent passwd external-purchase").stdout.strip().split(":")
    check(account[6] == "/usr/sbin/nologin" and int(account[2]) < 1000, "a system user without a shell")
    modes = system.run("stat -c '%U %G %a' /var/lib/external-purchase /etc/external-purchase").stdout.split("\n")
    check(
        modes[:2] == ["external-purchase external-purchase 700", "root external-purchase 750"],
        "the ledger's folder is the service's alone, the configuration's root's",
    )
    check(not system.path("/etc/external-purchase/serve.yaml").exists(), "no configuration is made up")
    check(not list(system.root.glob("etc/systemd/system/*.wants/external-purchase.service")), "the service is not enabled")
    unit = system.path("/usr/lib/systemd/system/external-purchase.service")
    values = unit_values(unit)
    command, user = values["ExecStart"][0], values["User"][0]
    linked = system.run("ldd /usr/bin/external-purchase").stdout
    check("not found" not in linked, "every library that the binary loads is there")
    check(not re.search(r"lib(swift|Foundation|dispatch)", linked), "no library of the Swift runtime is loaded")
    bill = json.loads(system.path("/usr/share/doc/external-purchase/external-purchase.cdx.json").read_text())
    digest = hashlib.sha256(system.path("/usr/bin/external-purchase").read_bytes()).hexdigest()
    check(bill["metadata"]["component"]["hashes"][0]["content"] == digest, "the CycloneDX file names the installed binary")
    listed = {component["name"] for component in bill["components"]}
    loaded = {name.split(":")[0] for line in re.findall(r"=> (/\S+)", linked) for name in owner(system, line)}
    check(loaded <= listed, f"it lists the packages of the loaded libraries: {', '.join(sorted(loaded))}")
    pages = system.run("ls /usr/share/man/man1").stdout.split()
    check("external-purchase-ledger-review-list.1.gz" in pages, f"{len(pages)} manual pages, one for each command")
    for completion in ("bash-completion/completions/external-purchase", "zsh/vendor-completions/_external-purchase", "fish/vendor_completions.d/external-purchase.fish"):
        check(system.path(f"/usr/share/{completion}").exists(), f"completions: {completion}")
    code = system.run(f"runuser -u {user} -- {command}", check_exit=False)
    check(code.returncode == 2 and "serve.yaml" in code.stdout, "without a configuration ExecStart ends with 2 and names the file")
    beside = "curl jq" + (" systemd systemd-sysv dbus" if shutil.which("systemd-nspawn") else "")
    system.run(f"apt-get install -y -qq --no-install-recommends {beside}")
    if shutil.which("systemd-nspawn"):
        judged = system.run("systemd-analyze verify --man=no external-purchase.service", check_exit=False)
        check(judged.returncode == 0, f"systemd-analyze verify {judged.stdout.strip()}")

    # 2. The documented commands, without another network than loopback.
    own_network()
    systemctl(system, command, user)
    try_it, restore = documented("Try it", "Backup and restore")
    check(len(try_it) == 2 and len(restore) == 5, "they are two and five blocks")
    shown = system.run("\n".join(try_it), timeout=120).stdout
    report = json.loads(shown[shown.rindex('{"reports"') :])["reports"]
    check([row["state"] for row in report] == ["accepted"], "the quick start ends with an accepted report")
    check(report[0]["report"]["lineItems"][0]["lineItemId"] == "order-1", "it is that of the sale")
    open_files = system.run("stat -c '%U %a' /var/lib/external-purchase/external-purchase.sqlite*").stdout.split("\n")
    check(all(line in ("external-purchase 600", "") for line in open_files), "the ledger's files are the service's alone")

    # 3. Backup, more sales, the records kept, one more sale that nobody keeps, a kill, the restore.
    backup, keep, away, back, again = restore
    tools = "\n".join(try_it[1].split("\n")[:2]) + """
sell() {
    answer=$(curl -sf -H "$json" http://127.0.0.1:8801/emulator/v1/tokens -d '{"bundleId":"com.example.shop"}')
    printf %s "$answer" | member token >/root/$1.token
    printf '{"saleId":"%s","bundleId":"com.example.shop","type":"purchase","occurredAt":"%s","externalPurchaseId":"%s","productId":"gems.100","quantity":1,"amount":{"currency":"EUR","inclusive":"9.99","taxRate":"21","taxCountry":"NLD"}}' \
        $1 $(date -u +%FT%TZ) $(printf %s "$answer" | member externalPurchaseId) >/root/$1.sale
    send $1
}
send() {
    curl -s -o /dev/null -w '%{http_code} ' -H "$json" http://127.0.0.1:8800/v1/tokens -d "{\\"token\\":\\"$(cat /root/$1.token)\\"}"
    curl -s -o /dev/null -w '%{http_code}\\n' -H "$json" http://127.0.0.1:8800/v1/sales -d @/root/$1.sale
}
accepted() {
    for _ in $(seq 100); do
        [ $(curl -sf 'http://127.0.0.1:8800/v1/reports?state=accepted' | jq '.reports|length') -lt $1 ] || return 0
        sleep 0.2
    done
    return 1
}
"""
    made = system.run(backup).stdout
    check(re.search(r"\d+:[0-9a-f]{64}", made), "the backup prints the head of the audit log")
    system.run(tools + "sell order-2\naccepted 2\n" + keep + "\nsell order-3\naccepted 3", timeout=60)
    system.run("kill -KILL $(cat /root/server.pid)")
    back_shown = system.run("\n".join([away, back]), timeout=60).stdout
    check("1 new" in back_shown, "the import knows the report of the backup and takes the one since")
    system.run("until curl -sf -o /dev/null http://127.0.0.1:8800/health/ready; do sleep 0.2; done", timeout=60)
    answered = set(re.findall(r'"status":(\d+)', system.run(again, timeout=60).stdout))
    check(answered and answered <= {"200", "201"}, "the kept tokens are sent once more, and none is refused")
    statuses = system.run(tools + "send order-2\nsend order-3\nsleep 3", timeout=60).stdout.split("\n")
    check(statuses[:2] == ["200 200", "201 201"], "sent again, the imported sale is known and the other one is new")
    journal = json.loads(system.run("curl -sf http://127.0.0.1:8801/emulator/v1/requests").stdout)
    items = {}
    for row in journal:
        if row["method"] == "PUT" and row["status"] == 200:
            for item in json.loads(row["body"]).get("lineItems", []):
                items[item["lineItemId"]] = items.get(item["lineItemId"], 0) + 1
    check(items == {"order-1": 1, "order-2": 1, "order-3": 1}, "Apple's side accepted every sale once")
    waiting = json.loads(system.run("curl -sf http://127.0.0.1:8800/v1/review").stdout)["review"]
    check([row["kind"] for row in waiting] == ["report-refused"], "the sale that nobody kept waits for a person, no other")

    # 4. The same package over itself, then its removal.
    system.run(f"dpkg -i /root/{package.name}")
    check(system.exit_code("curl -sf -o /dev/null http://127.0.0.1:8800/health/live") == 0, "an upgrade leaves the server running")
    system.run("systemctl stop external-purchase")
    log = system.path("/root/server.exit").read_text().split()
    check(log[-1] == "0", "SIGTERM ends it with 0")
    ended = system.run("apt-get purge -y -qq external-purchase").stdout
    check("stays with its files" in ended, "purge says what stays")
    check(system.path(DATABASE).exists() and not system.path("/usr/bin/external-purchase").exists(), "the ledger is still there, the program is not")

    # 5. Under systemd.
    if shutil.which("systemd-nspawn"):
        system.run(f"rm -r /usr/local/sbin/systemctl {DATABASE}* /var/lib/external-purchase /etc/external-purchase; dpkg -i /root/{package.name}")
        for mount in ("proc", "sys", "dev"):
            subprocess.run(["umount", "--lazy", system.root / mount], check=True)
        boot(system, try_it, values)
    else:
        print("package: systemd-nspawn is not installed: the unit's sandbox is not tried")
    passed()


def boot(system, try_it, values):
    """Boots the system, whose own systemd then runs the documented commands, and ends it."""
    script = ["set -euo pipefail", "trap 'echo $? >/root/booted.exit; systemctl poweroff --no-block' EXIT", *try_it]
    script += [
        "pid=$(systemctl show -P MainPID external-purchase)",
        "grep -E '^(NoNewPrivs|Seccomp|CapBnd|CapEff):' /proc/$pid/status >/root/booted.status",
        "ls -l /proc/$pid/fd >/dev/null",
        "systemctl stop external-purchase",
        "systemctl show -P Result -P ExecMainStatus external-purchase | tr '\\n' ' ' >/root/booted.end",
        "mv /etc/external-purchase/serve.yaml /root",
        "! systemctl start external-purchase 2>/root/booted.refused",
    ]
    system.path("/root/booted.sh").write_text("\n".join(script) + "\n")
    system.path("/etc/systemd/system/booted.service").write_text(
        "[Unit]\nAfter=dbus.service\n[Service]\nType=oneshot\nExecStart=/bin/bash /root/booted.sh\n"
        "StandardOutput=file:/root/booted.out\nStandardError=file:/root/booted.err\n[Install]\nWantedBy=multi-user.target\n"
    )
    links = system.path("/etc/systemd/system/multi-user.target.wants")
    links.mkdir(parents=True, exist_ok=True)
    (links / "booted.service").symlink_to("/etc/systemd/system/booted.service")
    command = ["systemd-nspawn", "-q", "-b", "-D", system.root, "--register=no", "--keep-unit", "--private-network"]
    try:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=180)
        console = ended.stdout + ended.stderr
    except subprocess.TimeoutExpired as expired:
        console = str(expired.stdout)
    if not system.path("/root/booted.out").exists():
        print(f"package: the system does not boot here: the unit's sandbox is not tried: {console[-500:]}")
        return
    code = system.path("/root/booted.exit")
    shown, errors = system.path("/root/booted.out").read_text(), system.path("/root/booted.err").read_text()
    check(code.exists() and code.read_text().strip() == "0", f"under systemd the quick start ends with 0{'' if code.exists() and code.read_text().strip() == '0' else ': ' + shown + errors}")
    check('"state":"accepted"' in shown, "and its report is accepted")
    status = dict(line.split(":\t") for line in system.path("/root/booted.status").read_text().splitlines())
    check(status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", "the server has no new privileges and a filter of system calls")
    check(int(status["CapBnd"], 16) == int(status["CapEff"], 16) == 0, "and no capabilities")
    ended = system.path("/root/booted.end").read_text().split()
    check(sorted(ended) == ["0", "success"], "systemctl stop ends it with 0")
    refused = system.path("/root/booted.refused").read_text()
    check("ssertion failed" in refused, "without a configuration systemctl start says so")


def owner(system, library):
    for path in (library, "/usr" + library):
        found = system.run(f"dpkg -S {shlex.quote(path)}", check_exit=False)
        if found.returncode == 0:
            return [found.stdout.split(":")[0]]
    sys.exit(f"package: FAILED: {library} is of no package")


def systemctl(system, command, user):
    """Puts a `systemctl` into the system that starts and stops the unit's command."""
    script = f"""#!/bin/bash
set -eu
case "$1" in
start)
    cd /var/lib/external-purchase
    umask 0077
    setsid bash -c 'code=0
        setpriv --reuid {user} --regid {user} --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all -- \\
            {command} >/dev/null 2>>/root/server.log & echo $! >/root/server.pid
        wait $! || code=$?
        echo $code >>/root/server.exit' </dev/null >/dev/null 2>&1 &
    ;;
stop)
    [ -e /root/server.pid ] || exit 0
    pid=$(cat /root/server.pid)
    kill -TERM $pid 2>/dev/null || exit 0
    for _ in $(seq 300); do
        kill -0 $pid 2>/dev/null || {{ sleep 0.2; exit 0; }}
        sleep 0.1
    done
    echo "systemctl: $pid did not end within 30 s" >&2
    exit 1
    ;;
*) ;;
esac
"""
    file = system.path("/usr/local/sbin/systemctl")
    file.write_text(script)
    file.chmod(0o755)


main()
