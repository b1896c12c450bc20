"""Unpacks the container image and runs its entry point in it, as its user, without a container engine and without a network.

usage: image_root.py FOLDER

FOLDER is what `./run release` made. Needs root.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from debian_system import CLONE_NEWNS, REPOSITORY, check, one_file, own_network, passed, unshare

WAIT = "for _ in $(seq 200); do curl -sf -o /dev/null {} && break; sleep 0.05; done; curl -sf {}"


class Image:
    def __init__(self, archive, folder):
        (folder / "image").mkdir()
        subprocess.run(["tar", "-xf", archive, "-C", folder / "image"], check=True)
        self.blobs = folder / "image/blobs/sha256"
        index = json.loads((folder / "image/index.json").read_text())
        self.manifest = self.blob(index["manifests"][0])
        document = self.blob(self.manifest["config"])
        self.config, self.architecture = document["config"], document["architecture"]
        self.root = folder / "root"
        self.root.mkdir()
        for layer in self.manifest["layers"]:
            subprocess.run(["tar", "-xpf", self.blobs / layer["digest"].split(":")[1], "-C", self.root], check=True)
        for white_out in self.root.rglob(".wh.*"):
            hidden = white_out.with_name(white_out.name.removeprefix(".wh."))
            shutil.rmtree(hidden) if hidden.is_dir() else hidden.unlink(missing_ok=True)
            white_out.unlink()

    def blob(self, descriptor):
        return json.loads((self.blobs / descriptor["digest"].split(":")[1]).read_text())

    def run(self, arguments, after="", check_exit=True):
        """Runs the entry point with these arguments; with `after`, in the background of that script."""
        entry = " ".join([*self.config["Entrypoint"], *arguments])
        script = f"{entry} & pid=$!\n{after}\ncode=$?\nkill $pid; wait $pid\nexit $code" if after else entry
        user, group = self.config["User"].split(":")
        result = subprocess.run(
            ["chroot", f"--userspec={user}:{group}", self.root, "/bin/sh", "-c", f"cd {self.config['WorkingDir']}; {script}"],
            env=dict(pair.split("=", 1) for pair in self.config["Env"]), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
        )
        if check_exit and result.returncode != 0:
            sys.exit(f"package: FAILED ({result.returncode}): {script}\n{result.stdout}{result.stderr}")
        return result


def main():
    release = pathlib.Path(sys.argv[1])
    archive = one_file(release, "*.oci.tar")
    # The machine's /proc and /dev stay as they are: mounts of the image are of this process alone.
    unshare(CLONE_NEWNS)
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="external-purchase-image-"))
    image = Image(archive, folder)
    try:
        for name in ("proc", "dev"):
            subprocess.run(["mount", "--rbind", f"/{name}", image.root / name], check=True)
        # An engine gives a container its own.
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", image.root / "tmp"], check=True)
        own_network()
        use(image, archive)
    finally:
        for name in ("proc", "dev", "tmp"):
            subprocess.run(["umount", "--lazy", image.root / name], stderr=subprocess.DEVNULL)
        if not any(os.path.ismount(image.root / name) for name in ("proc", "dev", "tmp")):
            shutil.rmtree(folder, ignore_errors=True)
    passed()


def use(image, archive):
    size = sum(layer["size"] for layer in image.manifest["layers"])
    check(True, f"{archive.name}: {len(image.manifest['layers'])} layers, {size / 1e6:.0f} MB compressed")
    check(image.config["User"] == "999:999" and image.config["StopSignal"] == "SIGTERM", "its user is 999, its signal SIGTERM")
    check(list(image.config["Volumes"]) == ["/var/lib/external-purchase"], "its volume is the ledger's folder")
    check((image.root / "var/lib/external-purchase").stat().st_mode & 0o777 == 0o700, "which is its user's alone")
    version = image.run(["--version"]).stdout.strip()
    check(re.search(rf"[-_]{re.escape(version)}", archive.name), f"external-purchase --version {version}")
    refused = image.run(image.config["Cmd"], check_exit=False)
    check(refused.returncode == 2 and "serve.yaml" in refused.stderr, "without a configuration its command ends with 2 and names the file")
    check(image.run(["demo", "--headless", "--exit"]).stdout.strip(), "the demo plays its story to the end")
    health = "http://127.0.0.1:8801/emulator/v1/health"
    shown = image.run(["emulator", "--app", "com.example.shop=1234567890", "--credentials", "/tmp/keys"], WAIT.format(health, health)).stdout
    check('"ok"' in shown, "the emulator of the compose file's trial answers")

    key = next((image.root / "tmp/keys").glob("*.p8")).name
    entry = json.loads((image.root / "tmp/keys/credentials.json").read_text())["apps"][0]
    configuration = image.root / "etc/external-purchase"
    configuration.mkdir()
    shutil.copy(image.root / "tmp/keys" / key, configuration)
    os.chown(configuration / key, 999, 999)
    (configuration / "serve.yaml").write_text(
        f"apps:\n  - bundleId: com.example.shop\n    appAppleId: 1234567890\n"
        f"    key: {{file: /etc/external-purchase/{key}, keyId: {entry['keyId']}, issuerId: {entry['issuerId']}}}\n"
        "    baseURL: {sandbox: http://127.0.0.1:8801}\n"
    )
    compose = (REPOSITORY / "Packaging/container/compose.yaml").read_text()
    ready = "http://127.0.0.1:8800/health/ready"
    check(ready in compose, "the compose file asks the server whether it is ready")
    shown = image.run(image.config["Cmd"], WAIT.format(ready, ready)).stdout
    check('"status":"ok"' in shown, "with one the server is ready")
    refused = image.run(["database", "migrate", "--database", "postgres://nobody@127.0.0.1:1/none"], check_exit=False)
    check("libpq" not in refused.stderr, f"PostgreSQL's client library is there: {refused.stderr.strip()}")


main()
