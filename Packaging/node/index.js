// An emulator of Apple's side of external purchases, for tests. The emulator is the program that this package brings.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

// The shell starts the program, waits until its standard input ends, which happens when the parent is gone, however it
// ended, and then ends the program.
const guard = '"$@" </dev/null & child=$!; exec >/dev/null; cat; kill "$child" 2>/dev/null; wait "$child"';

/** The emulator does not start, or refuses a control request. */
export class EmulatorError extends Error {
  constructor(message, status) {
    super(message);
    this.name = "EmulatorError";
    this.status = status;
  }
}

/** A notification is not genuine. */
export class NotificationRefused extends Error {
  constructor(reason, message) {
    super(`${reason}: ${message}`);
    this.name = "NotificationRefused";
    this.reason = reason;
  }
}

/** The path of the program `external-purchase`: that of this package, or the file that EXTERNAL_PURCHASE names. */
export function program() {
  const path = process.env.EXTERNAL_PURCHASE || fileURLToPath(new URL("program/bin/external-purchase", import.meta.url));
  if (!existsSync(path)) {
    throw new Error(`${path} does not exist: install the package of this system, or name the program in EXTERNAL_PURCHASE`);
  }
  return path;
}

export class Emulator {
  #process;
  #folder;
  #url;

  /** Starts the program on a free port and returns when it answers. */
  static async start(options = {}) {
    const emulator = new Emulator();
    try {
      await emulator.#start(options);
    } catch (error) {
      await emulator.stop();
      throw error;
    }
    return emulator;
  }

  async #start({ now, seed, environment, checkSignatures = true, settings = {}, startTimeout = 30_000 }) {
    const command = ["emulator", "--port", "0"];
    if (now !== undefined) command.push("--now", now.toISOString());
    if (seed !== undefined) command.push("--seed", String(seed));
    if (environment !== undefined) command.push("--environment", environment);
    if (!checkSignatures) command.push("--no-auth");
    for (const [name, value] of Object.entries(settings)) command.push("--set", `${name}=${value}`);

    this.#folder = await mkdtemp(join(tmpdir(), "external-purchase-"));
    // Ctrl-C in a terminal goes to the test alone, which then ends the emulator.
    const child = spawn("/bin/sh", ["-c", guard, "sh", program(), ...command], { detached: true });
    this.#process = child;
    let log = "";
    child.stderr.setEncoding("utf8").on("data", (text) => (log += text));
    child.stdin.on("error", () => {});
    const lines = createInterface({ input: child.stdout });
    const line = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(""), startTimeout);
      const settle = (value) => {
        clearTimeout(timer);
        resolve(value);
      };
      lines.once("line", settle).once("close", () => settle(""));
      child.once("error", reject);
    });
    // The rest of standard output is read, so that the program never waits for a reader.
    if (!line.startsWith("listening on ")) {
      // What it wrote before it ended arrives after the end of its output.
      await new Promise((resolve) => setTimeout(resolve, 100));
      throw new EmulatorError(`the emulator did not start: ${log.trim() || "no address within the time"}`);
    }
    this.#url = line.slice("listening on ".length).trim();
    // A test that forgets stop() still ends, and the emulator with it.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.unref();
  }

  /** Ends the program; a second call does nothing. */
  async stop() {
    const child = this.#process;
    this.#process = this.#url = undefined;
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      child.ref();
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
      const timer = setTimeout(() => process.kill(-child.pid, "SIGKILL"), 15_000);
      await ended;
      clearTimeout(timer);
    }
    if (this.#folder) await rm(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() {
    await this.stop();
  }

  /** The base URL for your client, in place of https://api.storekit.apple.com. */
  get url() {
    if (this.#url === undefined) throw new EmulatorError("the emulator does not run");
    return this.#url;
  }

  /** Registers an app, or changes it; its notifications go to `notificationURL`. */
  async register(bundleId, appAppleId, { notificationURL } = {}) {
    return new App(this, await this.call("PUT", `/apps/${bundleId}`, { appAppleId, notificationURL }));
  }

  /** The tokens with the reports that were accepted on them. */
  tokens(bundleId) {
    return this.call("GET", bundleId === undefined ? "/tokens" : `/tokens?bundleId=${encodeURIComponent(bundleId)}`);
  }

  /** The journal of requests to Apple's paths: status, why, errors, body. */
  requests() {
    return this.call("GET", "/requests");
  }

  async clearRequests() {
    await this.call("DELETE", "/requests");
  }

  /** The emulator's clock. */
  async now() {
    return new Date((await this.call("GET", "/clock")).now);
  }

  /** Sets the clock, which is virtual from then on. */
  async setNow(moment) {
    await this.call("PUT", "/clock", { now: moment.toISOString() });
  }

  /** Moves the clock forward and returns when every notification due in between was sent. */
  async advance(seconds) {
    return new Date((await this.call("POST", "/clock/advance", { seconds })).now);
  }

  /** Lets the next requests fail. */
  async fault(behaviour, { method = "PUT", path = "/externalPurchase/v1/reports", times = 1 } = {}) {
    await this.call("POST", "/faults", { match: { method, path }, behaviour, times });
  }

  async clearFaults() {
    await this.call("DELETE", "/faults");
  }

  settings() {
    return this.call("GET", "/settings");
  }

  async set(settings) {
    await this.call("PUT", "/settings", settings);
  }

  /** Deletes tokens, reports and customers; clock and settings return to their start. Apps and keys stay. */
  async reset() {
    await this.call("POST", "/reset", {});
  }

  /** The root that signs notifications, in DER: trust it in your server in place of Apple's. */
  async rootCertificate() {
    return Buffer.from(await (await this.#fetch("GET", "/root.cer")).arrayBuffer());
  }

  /** The notifications with their attempts and their `signedPayload`. */
  notifications() {
    return this.call("GET", "/notifications");
  }

  /** Verifies a notification as your server should. `body` is the signed payload or the body around it. */
  async verify(body, app) {
    const root = join(this.#directory(), "root.cer");
    await writeFile(root, await this.rootCertificate());
    const command = ["notification", "verify", "-", "--root", root, "--format", "json"];
    if (app !== undefined) command.push("--bundle-id", app.bundleId, "--app-apple-id", String(app.appAppleId));
    const answer = await run(command, body);
    if (answer.payload === undefined) throw new NotificationRefused(answer.error, answer.message);
    return answer.payload;
  }

  /** A receiver for notifications, for tests without a server of your own. */
  inbox() {
    return Inbox.open();
  }

  /** Calls a control path of the emulator, such as /devices; returns the JSON of the answer. */
  async call(method, path, body) {
    return (await this.#fetch(method, path, body)).json();
  }

  /** The app's key as a file. */
  async keyFile(app) {
    const path = join(this.#directory(), `AuthKey_${app.keyId}.p8`);
    if (!existsSync(path)) await writeFile(path, app.privateKey, { mode: 0o600 });
    return path;
  }

  #directory() {
    if (this.#folder === undefined) throw new EmulatorError("the emulator does not run");
    return this.#folder;
  }

  async #fetch(method, path, body) {
    const address = `${this.url}/emulator/v1${path}`;
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    const answer = await fetch(address, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    if (!answer.ok) throw new EmulatorError(`${method} ${address}: ${answer.status} ${await answer.text()}`, answer.status);
    return answer;
  }
}

/** An app that the emulator knows, with the key that its server signs with. */
export class App {
  #emulator;

  constructor(emulator, { bundleId, appAppleId, keyId, issuerId, privateKey }) {
    this.#emulator = emulator;
    Object.assign(this, { bundleId, appAppleId, keyId, issuerId, privateKey });
  }

  /** The key as a file of the emulator's temporary folder, AuthKey_<keyId>.p8. */
  keyFile() {
    return this.#emulator.keyFile(this);
  }

  /** Makes a token, as StoreKit does on a device. */
  async mintToken({ environment, tokenType, created, expires, externalPurchaseId } = {}) {
    const { token, decoded } = await this.#emulator.call("POST", "/tokens", {
      bundleId: this.bundleId,
      environment,
      tokenType,
      creationDate: created?.getTime(),
      expirationDate: expires?.getTime(),
      externalPurchaseId,
    });
    return { text: token, externalPurchaseId: decoded.externalPurchaseId, decoded };
  }

  /** Signs a report with the app's key, sends it and returns the answer. */
  async send(report) {
    const command = ["report", "send", "-", "--format", "json", "--base-url", this.#emulator.url];
    command.push("--bundle-id", this.bundleId, "--key", await this.keyFile(), "--key-id", this.keyId, "--issuer-id", this.issuerId);
    const { accepted, status, errors, message } = await run(command, JSON.stringify(report));
    return { accepted, status, errors, message, codes: errors.map((error) => error.errorCode) };
  }

  /** Sends a notification now and returns it with the result of the attempt. */
  notify(token, subtype = "UNREPORTED", { damage } = {}) {
    const externalPurchaseId = typeof token === "string" ? token : token.externalPurchaseId;
    return this.#emulator.call("POST", "/notifications", { externalPurchaseId, subtype, damage });
  }
}

/** Receives notifications on a free port of this machine and answers them with 200. */
export class Inbox {
  #server;
  #bodies = [];
  #waiting = [];

  static async open() {
    const inbox = new Inbox();
    inbox.#server = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      response.writeHead(200, { "Content-Length": 0, Connection: "close" }).end();
      const body = Buffer.concat(chunks).toString("utf8");
      const waiting = inbox.#waiting.shift();
      if (waiting) waiting(body);
      else inbox.#bodies.push(body);
    });
    await new Promise((resolve) => inbox.#server.listen(0, "127.0.0.1", resolve));
    return inbox;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}/`;
  }

  /** The body of the next notification; waits for it. */
  next(timeout = 30_000) {
    if (this.#bodies.length > 0) return Promise.resolve(this.#bodies.shift());
    return new Promise((resolve, reject) => {
      const settle = (body) => {
        clearTimeout(timer);
        resolve(body);
      };
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== settle);
        reject(new EmulatorError(`no notification arrived within ${timeout} ms`));
      }, timeout);
      this.#waiting.push(settle);
    });
  }

  async close() {
    this.#server.closeAllConnections?.();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Runs a command of the program that prints one JSON object. */
async function run(command, input) {
  const child = spawn(program(), command);
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (text) => (output[name] += text));
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  await new Promise((resolve, reject) => child.once("close", resolve).once("error", reject));
  try {
    return JSON.parse(output.stdout);
  } catch {
    throw new EmulatorError(`${command.slice(0, 2).join(" ")}: ${output.stderr.trim() || output.stdout}`);
  }
}
