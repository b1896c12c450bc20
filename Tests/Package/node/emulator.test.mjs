// What the page of the Node package promises beyond its own tests, asked of the installed package.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Emulator, EmulatorError, program } from "external-purchase";

const bundleId = "com.example.shop";
const appAppleId = 1234567890;

function nothingSold({ externalPurchaseId }) {
  return { requestIdentifier: randomUUID(), externalPurchaseId, status: "NO_LINE_ITEM" };
}

/** The processes that run the package's program. */
function emulators() {
  const words = (id) => {
    try {
      return readFileSync(`/proc/${id}/cmdline`, "utf8").split("\0");
    } catch {
      return [];
    }
  };
  return new Set(readdirSync("/proc").filter((id) => /^\d+$/.test(id) && words(id)[0] === program()));
}

const without = (all, others) => [...all].filter((id) => !others.has(id));

async function withEmulator(options, body) {
  const apple = await Emulator.start(options);
  try {
    return await body(apple);
  } finally {
    await apple.stop();
  }
}

test("it ends with stop(), and a second stop() does nothing", async () => {
  const before = emulators();
  const apple = await Emulator.start();
  const mine = without(emulators(), before);
  assert.equal(mine.length, 1);
  await apple.stop();
  await apple.stop();
  assert.deepEqual(mine.filter((id) => emulators().has(id)), []);
  assert.throws(() => apple.url, EmulatorError);
});

for (const end of ["SIGKILL", "SIGTERM", "SIGINT", "at the end of the program"]) {
  test(`it ends with the process: ${end}`, async () => {
    const before = emulators();
    const wait = end.startsWith("SIG") ? "setTimeout(() => {}, 600_000);" : "";
    const code = `import { Emulator } from "external-purchase"; console.log((await Emulator.start()).url); ${wait}`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((resolve) => parent.once("exit", resolve));
    const [line] = await new Promise((resolve) => parent.stdout.once("data", (data) => resolve(String(data).split("\n"))));
    assert.match(line, /^http:\/\/127\.0\.0\.1:\d+$/);
    const mine = without(emulators(), before);
    if (wait) {
      assert.equal(mine.length, 1);
      parent.kill(end);
    }
    await ended;
    while (mine.some((id) => emulators().has(id))) await pause(50);
  });
}

test("a wrong setting is refused with its reason", async () => {
  await assert.rejects(Emulator.start({ settings: { "no.such": "1" } }), /no\.such/);
});

test("a wrong control request is refused with its status", () =>
  withEmulator({}, (apple) => assert.rejects(apple.set({ "no.such": "1" }), { name: "EmulatorError", status: 422 })));

test("the clock", () =>
  withEmulator({}, async (apple) => {
    await apple.setNow(new Date("2026-11-01T00:00:00Z"));
    assert.equal((await apple.advance(86400)).toISOString(), "2026-11-02T00:00:00.000Z");
    assert.equal((await apple.now()).toISOString(), "2026-11-02T00:00:00.000Z");
  }));

test("the seed repeats keys and ids", async () => {
  const ids = () =>
    withEmulator({ seed: 7 }, async (apple) => {
      const app = await apple.register(bundleId, appAppleId);
      return [app.keyId, app.issuerId, (await app.mintToken()).externalPurchaseId];
    });
  assert.deepEqual(await ids(), await ids());
});

test("a fault hits the next report only, and an answer may be lost", () =>
  withEmulator({}, async (apple) => {
    const app = await apple.register(bundleId, appAppleId);
    await apple.fault({ status: 500 });
    const report = nothingSold(await app.mintToken());
    assert.equal((await app.send(report)).status, 500);
    await apple.fault({ dropAfterAccept: true });
    assert.equal((await app.send(report)).status, null);
    assert.deepEqual((await app.send(report)).codes, [1]);
  }));

test("a request without a signature", async () => {
  const put = async (apple) => {
    const body = JSON.stringify(nothingSold(await (await apple.register(bundleId, appAppleId)).mintToken()));
    const headers = { "Content-Type": "application/json" };
    return (await fetch(`${apple.url}/externalPurchase/v1/reports`, { method: "PUT", headers, body })).status;
  };
  assert.equal(await withEmulator({}, put), 401);
  assert.equal(await withEmulator({ checkSignatures: false }, put), 200);
});

test("the key as a file, readable by its owner alone", () =>
  withEmulator({}, async (apple) => {
    const app = await apple.register(bundleId, appAppleId);
    assert.equal(readFileSync(await app.keyFile(), "utf8"), app.privateKey);
    assert.match(app.privateKey, /^-----BEGIN PRIVATE KEY-----/);
  }));

test("the command", () => {
  const shown = spawnSync("npx", ["external-purchase", "--version"], { encoding: "utf8" });
  assert.equal(shown.status, 0, shown.stderr);
  assert.match(shown.stdout, /^\d+\.\d+\.\d+/);
  assert.equal(spawnSync("npx", ["external-purchase", "lint", "/nonexistent"]).status, 2);
});
