// What the page of the Node package promises beyond its own tests, asked of the installed package.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
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

async function gone(processes, folder) {
  while (processes.some((id) => emulators().has(id)) || (folder && existsSync(folder))) await pause(50);
}

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
  test(`it ends with the process and leaves no folder: ${end}`, async () => {
    const before = emulators();
    const wait = end.startsWith("SIG") ? "setTimeout(() => {}, 600_000);" : "";
    const code = `import { Emulator } from "external-purchase";
      const app = await (await Emulator.start()).register("com.example.shop", 1);
      console.log(await app.keyFile()); ${wait}`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = new Promise((resolve) => parent.once("exit", resolve));
    const [key] = await new Promise((resolve) => parent.stdout.once("data", (data) => resolve(String(data).split("\n"))));
    assert.match(key, /AuthKey_.*\.p8$/);
    const mine = without(emulators(), before);
    if (wait) {
      assert.equal(mine.length, 1);
      assert.equal(statSync(key).mode & 0o077, 0);
      parent.kill(end);
    }
    await ended;
    await gone(mine, dirname(key));
  });
}

for (const end of ["SIGKILL", "SIGTERM"]) {
  test(`it ends although its guard was ended: ${end}`, async () => {
    const before = emulators();
    const apple = await Emulator.start();
    const folder = dirname(await (await apple.register(bundleId, appAppleId)).keyFile());
    const mine = without(emulators(), before);
    assert.equal(mine.length, 1);
    const guard = Number(readFileSync(`/proc/${mine[0]}/stat`, "utf8").split(") ").at(-1).split(" ")[1]);
    process.kill(guard, end);
    if (end === "SIGTERM") await gone(mine, folder);
    await apple.stop();
    await gone(mine, folder);
  });
}

test("the program is gone", async () => {
  const before = emulators();
  await withEmulator({}, async (apple) => {
    const app = await apple.register(bundleId, appAppleId);
    const mine = without(emulators(), before);
    assert.equal(mine.length, 1);
    process.kill(Number(mine[0]), "SIGKILL");
    await gone(mine);
    await assert.rejects(app.mintToken(), { name: "EmulatorError", message: /no answer/ });
  });
});

for (const kind of ["absent", "not executable", "not a program"]) {
  test(`a program that does not run: ${kind}`, async () => {
    const [named, temporary] = [process.env.EXTERNAL_PURCHASE, process.env.TMPDIR];
    const folder = await mkdtemp(join(tmpdir(), "program-"));
    const path = join(folder, "program");
    if (kind !== "absent") await writeFile(path, "no program\n");
    if (kind === "not a program") await chmod(path, 0o755);
    try {
      [process.env.EXTERNAL_PURCHASE, process.env.TMPDIR] = [path, folder];
      await assert.rejects(Emulator.start(), { name: "EmulatorError", message: /did not start/ });
      assert.deepEqual(readdirSync(folder), kind === "absent" ? [] : ["program"]);
    } finally {
      for (const [name, value] of Object.entries({ EXTERNAL_PURCHASE: named, TMPDIR: temporary })) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      await rm(folder, { recursive: true });
    }
  });
}

test("an id of any characters is named whole", () =>
  withEmulator({}, async (apple) => {
    for (const id of ["my app!", "de.größe", "a/b", "a.b?x=1", "a.b#c", "50%2f", "größe & x=y", "a+b", "🎁"]) {
      for (const call of [() => apple.register(id, 1), () => apple.tokens(id)]) {
        const refusal = await call().then(() => assert.fail(`${id} is accepted`), (error) => error);
        assert.equal(refusal.status, 422, refusal.message);
        assert.ok(JSON.parse(refusal.message.split(" 422 ")[1]).message.includes(id), refusal.message);
      }
    }
    assert.deepEqual(await apple.call("GET", "/apps"), []);
  }));

test("a malformed report is refused with its reason", () =>
  withEmulator({}, async (apple) => {
    const app = await apple.register(bundleId, appAppleId);
    const token = await app.mintToken();
    for (const [members, expected] of [
      [{ amountTaxExclusive: 42.01 }, "42010"],
      [{ amountTaxExclusive: "42010" }, "amountTaxExclusive"],
      [{ eventType: "SOLD" }, "eventType"],
    ]) {
      const answer = await app.send({ ...nothingSold(token), status: "LINE_ITEM", lineItems: [members] });
      assert.deepEqual([answer.accepted, answer.status, answer.errors], [false, 400, []]);
      assert.ok(answer.reason && answer.message.includes(expected), answer.message);
    }
    for (const status of [400, 401]) {
      await apple.fault({ status });
      const answer = await app.send(nothingSold(token));
      assert.deepEqual([answer.status, answer.reason], [status, null]);
      assert.match(answer.message, /fault/);
    }
  }));

test("what JSON cannot have, and a Date without a moment, are refused", () =>
  withEmulator({}, async (apple) => {
    const app = await apple.register(bundleId, appAppleId);
    await assert.rejects(app.send({ amount: 1n }), { name: "EmulatorError", message: /JSON/ });
    await assert.rejects(app.send(undefined), { name: "EmulatorError", message: /JSON/ });
    for (const member of ["created", "expires"]) {
      for (const moment of [new Date(NaN), "2026-11-01"]) await assert.rejects(app.mintToken({ [member]: moment }), EmulatorError);
    }
    await assert.rejects(apple.setNow(new Date(NaN)), EmulatorError);
  }));

test("an accepted report is returned", () =>
  withEmulator({}, async (apple) => {
    const app = await apple.register(bundleId, appAppleId);
    const report = nothingSold(await app.mintToken());
    await assert.rejects(app.get(report.requestIdentifier), { name: "EmulatorError", message: /no report was accepted/ });
    await apple.fault({ dropAfterAccept: true });
    assert.equal((await app.send(report)).status, null);
    assert.deepEqual(await app.get(report.requestIdentifier), report);
    await assert.rejects(app.get("--help"), /not a UUID/);
  }));

test("a notification needs an address, and is of an environment", async () => {
  await withEmulator({ environment: "sandbox" }, async (apple) => {
    let app = await apple.register(bundleId, appAppleId);
    await assert.rejects(app.notify(await app.mintToken()), { name: "EmulatorError", message: /notificationURL/ });
    const inbox = await apple.inbox();
    try {
      app = await apple.register(bundleId, appAppleId, { notificationURL: inbox.url });
      const token = await app.mintToken();
      await app.notify(token);
      const genuine = await inbox.next();
      for (const body of [genuine, Buffer.from(genuine), JSON.parse(genuine), JSON.parse(genuine).signedPayload]) {
        assert.equal((await apple.verify(body, app)).subtype, "UNREPORTED");
      }
      await assert.rejects(apple.verify(genuine, app, { environment: "production" }), { reason: "wrong-environment" });
      await app.notify(token, "UNREPORTED", { damage: "wrong-environment" });
      await assert.rejects(apple.verify(await inbox.next(), app), { reason: "wrong-environment" });
      const payloads = await Promise.all(Array.from({ length: 8 }, () => apple.verify(genuine, app)));
      assert.equal(payloads.length, 8);
    } finally {
      await inbox.close();
    }
  });
});

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
