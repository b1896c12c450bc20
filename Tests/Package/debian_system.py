"""A bare Debian system in a folder, which debootstrap fills, with mounts and, when asked, a network of its own. Needs root."""

import argparse
import atexit
import ctypes
import fcntl
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile

CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
checks = 0


def check(condition, text):
    global checks
    if not condition:
        sys.exit(f"package: FAILED: {text}")
    checks += 1
    print(f"package: {text}", flush=True)


def passed():
    print(f"package: {checks} checks passed")


def unshare(flags):
    if ctypes.CDLL(None, use_errno=True).unshare(flags) != 0:
        sys.exit(f"package: unshare: {os.strerror(ctypes.get_errno())}")


def own_network():
    """Leaves the machine's network for one that has loopback only."""
    unshare(CLONE_NEWNET)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as handle:
        interface_up = 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40)
        fcntl.ioctl(handle, *interface_up)


class System:
    """A Debian system in a folder."""

    def __init__(self, root):
        self.root = pathlib.Path(root)

    def run(self, script, check_exit=True, **more):
        """Runs a script with bash in the system, as root; returns its result with output and errors in one text."""
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        result = subprocess.run(
            ["chroot", self.root, "/bin/bash", "-euo", "pipefail", "-c", script],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more,
        )
        if check_exit and result.returncode != 0:
            sys.exit(f"package: FAILED ({result.returncode}):\n{script}\n{result.stdout}")
        return result

    def path(self, absolute):
        return self.root / absolute.lstrip("/")

    def exit_code(self, script):
        return self.run(script, check_exit=False).returncode


def arguments():
    """The command line of a test: what `./run release` made, and which Debian."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--mirror", default=os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian"))
    parser.add_argument("--suite", default=release_name())
    parser.add_argument("--keep", action="store_true", help="keep the system's folder")
    return parser.parse_args()


def one_file(folder, pattern):
    """The only file of that name in the folder of the release."""
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        sys.exit(f"package: {folder} has {len(found)} files {pattern}, needs 1; `./run release` makes it")
    return found[0].resolve()


def bare_system(options):
    """A new system, which is removed with its processes when this process ends."""
    sums = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=options.folder, capture_output=True, text=True)
    check(sums.returncode == 0, "SHA256SUMS agrees with the files")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="external-purchase-root-"))
    system = System(folder / "root")

    def end():
        # What ran in the system and is still there.
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit() and entry.name != str(os.getpid()):
                try:
                    inside = os.readlink(entry / "root") == str(system.root)
                except OSError:
                    continue
                if inside:
                    os.kill(int(entry.name), signal.SIGKILL)
        for mount in ("proc", "sys", "dev"):
            subprocess.run(["umount", "--lazy", system.root / mount], stderr=subprocess.DEVNULL)
        if not options.keep and not any(os.path.ismount(system.root / name) for name in ("proc", "sys", "dev")):
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    # Mounts made from here on are this process's own.
    unshare(CLONE_NEWNS)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)

    print(f"package: a bare Debian {options.suite} from {options.mirror.split('/')[2]}", flush=True)
    cache = options.folder.resolve().parent / "debian-packages"
    cache.mkdir(exist_ok=True)
    made = subprocess.run(
        ["debootstrap", "--variant=minbase", f"--cache-dir={cache}", options.suite, system.root, options.mirror],
        capture_output=True, text=True,
    )
    if made.returncode != 0:
        sys.exit(f"package: debootstrap failed:\n{made.stdout[-2000:]}{made.stderr[-2000:]}")
    for kind, source, target, more in [
        ("proc", "proc", "proc", []), ("sysfs", "sys", "sys", ["-o", "ro"]), ("tmpfs", "tmpfs", "dev", [])
    ]:
        subprocess.run(["mount", "-t", kind, *more, source, system.root / target], check=True)
    for name, number in [("null", 3), ("zero", 5), ("full", 7), ("random", 8), ("urandom", 9)]:
        os.mknod(system.root / "dev" / name, 0o666 | 0o020000, os.makedev(1, number))
        os.chmod(system.root / "dev" / name, 0o666)
    os.symlink("/proc/self/fd", system.root / "dev/fd")
    shutil.copy("/etc/resolv.conf", system.root / "etc/resolv.conf")
    for proxy in pathlib.Path("/etc/apt/apt.conf.d").glob("*proxy*"):
        shutil.copy(proxy, system.root / "etc/apt/apt.conf.d")
    return system


def release_name():
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.split("=", 1)[1].strip('"')
    return "stable"
