"""Installs the archive, the wheel and the npm package in a bare Debian system, without a network, and uses them as their pages say.

usage: language_root.py FOLDER [--mirror URL] [--suite NAME] [--keep]

FOLDER is what `./run release` made. Python, pytest, Node and npm are Debian's. Beside the tests of Tests/Package/python and
Tests/Package/node, the samples of the packages' own pages run as they stand there. Needs root.
"""

import json
import re
import shutil
import time

from debian_system import REPOSITORY, arguments, bare_system, check, one_file, own_network, passed

FIRST_ANSWER = """
rm -f /root/emulator.out
start=$(date +%s%N)
PROGRAM emulator --port 0 >/root/emulator.out & emulator=$!
trap 'kill $emulator; wait $emulator' EXIT
until grep -q 'listening on' /root/emulator.out 2>/dev/null; do sleep 0.01; done
exec 3<>/dev/tcp/127.0.0.1/$(sed -n 's/listening on .*://p' /root/emulator.out)
printf 'GET /emulator/v1/health HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\nConnection: close\\r\\n\\r\\n' >&3
head -1 <&3
echo "took $(( ($(date +%s%N) - start) / 1000000 )) ms"
"""


def samples(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", (REPOSITORY / page).read_text(), re.M | re.S)


def first_answer(system, program, size):
    shown = system.run(FIRST_ANSWER.replace("PROGRAM", program)).stdout
    took = re.search(r"took (\d+) ms", shown)
    check("200 OK" in shown and took, f"the emulator's first answer comes {took and took[1]} ms after its start (package of {size / 1e6:.1f} MB)")


def demo(system, command):
    """The demo in an environment that has the package and nothing else."""
    began = time.monotonic()
    shown = system.run(f"{command} demo --headless --exit", timeout=300).stdout
    check(shown.strip(), f"{command.split('/')[-1]} demo plays its story to the end, in {time.monotonic() - began:.0f} s")


def archive(system, package):
    name = package.name.removesuffix(".tar.gz")
    shutil.copy(package, system.root / "root")
    system.run(f"tar -xzf /root/{package.name} --strip-components 1 -C /usr/local")
    linked = system.run("ldd /usr/local/bin/external-purchase").stdout
    check("not found" not in linked, "every library that the binary loads is in a bare system, or in the archive")
    check("/usr/local/bin/../lib/external-purchase/libsqlite3.so.0" in linked, "SQLite is that of the archive")
    version = system.run("external-purchase --version").stdout.strip()
    check(f"-{version}" in name, f"{name}, external-purchase --version {version}")
    first_answer(system, "external-purchase", package.stat().st_size)
    demo(system, "external-purchase")

    system.run("apt-get install -y -qq --no-install-recommends man-db fish zsh")
    paths = commands(json.loads(system.run("external-purchase --experimental-dump-help").stdout)["command"])
    found = sorted(path.name for path in system.path("/usr/local/share/man/man1").iterdir())
    check(found == sorted(f"{'-'.join(path)}.1" for path in paths), f"{len(found)} manual pages, one for each command")
    warned = system.run("for page in /usr/local/share/man/man1/*; do man --warnings -l -Tutf8 $page 2>&1 >/dev/null; done").stdout
    check(warned == "", "man has nothing to say against them")
    check("--credentials" in system.run("man external-purchase-emulator | cat").stdout, "man finds that of a command, with its options")
    completion = "/usr/local/share/fish/vendor_completions.d/external-purchase.fish"
    offered = system.run(f"fish -c 'source {completion}; complete -C \"external-purchase em\"'").stdout
    check(offered.startswith("emulator"), "fish completes a command")
    offered = system.run(
        "source /usr/local/share/bash-completion/completions/external-purchase\n"
        "COMP_WORDS=(external-purchase em) COMP_CWORD=1 COMP_LINE='external-purchase em' COMP_POINT=20 COMP_TYPE=9\n"
        "_external-purchase external-purchase em external-purchase || true; echo \"${COMPREPLY[@]}\""
    ).stdout
    check(offered.strip() == "emulator", "bash completes a command")
    system.run("zsh -c 'fpath+=(/usr/local/share/zsh/site-functions); autoload -U compinit; compinit -D; [ $_comps[external-purchase] = _external-purchase ]'")
    check(True, "zsh knows the completion")


def commands(command, path=()):
    path = (*path, command["commandName"])
    inner = [entry for entry in command.get("subcommands", []) if entry["commandName"] != "help" and entry.get("shouldDisplay", True)]
    return [path] + [found for entry in inner for found in commands(entry, path)]


def wheel(system, package):
    system.run("python3 -m venv --system-site-packages /root/python")
    shutil.copy(package, system.root / "root")
    began = time.monotonic()
    system.run(f"/root/python/bin/pip install --no-index --quiet /root/{package.name}")
    check(True, f"pip installs {package.name} without a network, in {time.monotonic() - began:.1f} s")
    first_answer(system, "/root/python/bin/external-purchase", package.stat().st_size)
    demo(system, "/root/python/bin/external-purchase")
    folder = system.path("/root/shop")
    folder.mkdir()
    shop, shared, sample = samples("Packaging/python/README.md", "python")
    (folder / "test_shop.py").write_text(shop)
    (folder / "test_shared.py").write_text(shared)
    (folder / "sample.py").write_text(sample)
    shutil.copy(REPOSITORY / "Tests/Package/python/test_emulator.py", folder)
    environment = "cd /root/shop; export PATH=/root/python/bin:$PATH"
    shown = system.run(f"{environment}; python -m pytest -q -p no:cacheprovider test_shop.py test_shared.py", timeout=300).stdout
    check("8 passed" in shown, "the tests of the Python package's page pass")
    shown = system.run(f"{environment}; python sample.py").stdout
    check(shown == "2026-12-01 00:00:00+00:00\nNone\n", "its sample prints what it says")
    shown = system.run(f"{environment}; python -m pytest -q -p no:cacheprovider test_emulator.py", timeout=300).stdout
    check("passed" in shown and "skipped" not in shown, f"Tests/Package/python: {shown.strip().splitlines()[-1]}")


def node(system, package):
    shutil.copy(package, system.root / "root")
    folder = system.path("/root/node-shop")
    folder.mkdir()
    (folder / "package.json").write_text('{"name": "shop", "private": true}\n')
    began = time.monotonic()
    environment = "cd /root/node-shop; export npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false"
    system.run(f"{environment}; npm install --offline --save-dev /root/{package.name}", timeout=300)
    check(True, f"npm installs {package.name} without a network, in {time.monotonic() - began:.1f} s")
    command = "/root/node-shop/node_modules/.bin/external-purchase"
    first_answer(system, command, package.stat().st_size)
    demo(system, command)
    shop, sample = samples("Packaging/node/README.md", "js")
    (folder / "shop.test.mjs").write_text(shop)
    (folder / "sample.mjs").write_text(sample)
    shutil.copy(REPOSITORY / "Tests/Package/node/emulator.test.mjs", folder)
    version = system.run("node --version").stdout.strip()
    shown = system.run(f"{environment}; node --test shop.test.mjs", timeout=300).stdout
    check("# pass 5" in shown and "# fail 0" in shown, f"the tests of the Node package's page pass (Node {version})")
    shown = system.run(f"{environment}; node sample.mjs").stdout
    check(shown == "2026-12-01T00:00:00.000Z\nnull\n", "its sample prints what it says")
    shown = system.run(f"{environment}; node --test emulator.test.mjs", timeout=300).stdout
    count = re.search(r"# pass (\d+)", shown)
    check(count and "# fail 0" in shown and "# skipped 0" in shown, f"Tests/Package/node: {count and count[1]} passed")


def main():
    options = arguments()
    packages = [one_file(options.folder, pattern) for pattern in ("*.tar.gz", "*.whl", "*.tgz")]
    system = bare_system(options)
    system.run("apt-get update -qq")
    archive(system, packages[0])
    system.run("apt-get install -y -qq --no-install-recommends python3-venv python3-pytest nodejs npm")
    # The packages bring their own program.
    system.run("rm -r /usr/local/bin/external-purchase /usr/local/lib/external-purchase")
    own_network()
    wheel(system, packages[1])
    node(system, packages[2])
    passed()


main()
