// An emulator of Apple's side of external purchases, for tests. The emulator is the program that this package brings.

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { accessSync, constants, existsSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

// The shell starts the program and waits for a line, for the end of its standard input, which comes when the parent is
// gone, however it ended, or for a signal. Then it ends the program and deletes the folder.
const guard = `
folder=$1
shift
end() {
    trap '' HUP INT TERM
    kill "$!"
    wait "$!"
    command -p rm -rf -- "$folder"
    exit
}
trap end HUP INT TERM
exec 3<&0
"$@" </dev/null 3<&- &
exec >/dev/null 2>&1
read -r line <&3
end
`;

/** The emulator does not start, or refuses a control request. */
export class EmulatorError extends Error {
  constructor(message, status, cause) {
    super(message, { cause });
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
  try {
    accessSync(path, constants.X_OK);
  } catch {
    throw new Error(`${path} may not be executed: chmod +x ${path}`);
  }
  return path;
}

export class Emulator {
  #process;
  #ended;
  #folder;
  #url;
  #log = "";
  #environment;

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
    if (now !== undefined) command.push("--now", text(now));
    if (seed !== undefined) command.push("--seed", String(seed));
    if (environment !== undefined) command.push("--environment", environment);
    if (!checkSignatures) command.push("--no-auth");
    for (const [name, value] of Object.entries(settings)) command.push("--set", `${name}=${value}`);

    this.#environment = environment;
    try {
      const path = program();
      this.#folder = await mkdtemp(join(tmpdir(), "external-purchase-"));
      // Ctrl-C in a terminal goes to the test alone, which then ends the emulator.
      this.#process = spawn("/bin/sh", ["-c", guard, "sh", this.#folder, path, ...command], { detached: true });
    } catch (error) {
      throw new EmulatorError(`the emulator did not start: ${error.message}`, undefined, error);
    }
    const child = this.#process;
    this.#ended = new Promise((resolve) => child.once("exit", resolve).once("error", resolve));
    child.stderr.setEncoding("utf8").on("data", (words) => (this.#log += words));
    child.stdin.on("error", () => {});
    const lines = createInterface({ input: child.stdout });
    const line = await new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(""), startTimeout);
      const settle = (value) => {
        clearTimeout(timer);
        resolve(value);
      };
      lines.once("line", settle).once("close", () => settle(""));
      child.once("error", (error) => reject(new EmulatorError(`the emulator did not start: ${error.message}`, undefined, error)));
    });
    // The rest of standard output is read, so that the program never waits for a reader.
    if (!line.startsWith("listening on ")) {
      // What it wrote before it ended arrives after the end of its output.
      await new Promise((resolve) => setTimeout(resolve, 100));
      throw new EmulatorError(`the emulator did not start: ${this.#log.trim() || "no address within the time"}`);
    }
    this.#url = line.slice("listening on ".length).trim();
    // A test that forgets stop() still ends, and the emulator with it.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.unref();
  }

  /** Ends the program and deletes its temporary folder; a second call does nothing. */
  async stop() {
    const [child, folder] = [this.#process, this.#folder];
    this.#process = this.#folder = this.#url = undefined;
    if (child?.pid !== undefined) {
      // The program is in the guard's process group.
      const kill = () => {
        try {
          process.kill(-child.pid, "SIGKILL");
        } catch (error) {
          if (error.code !== "ESRCH") throw error;
        }
      };
      child.ref();
      child.stdin.end("\n");
      const timer = setTimeout(kill, 15_000);
      await this.#ended;
      clearTimeout(timer);
      if (child.exitCode !== 0) kill();
    }
    if (folder) await rm(folder, { recursive: true, force: true });
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
    return new App(this, await this.call("PUT", `/apps/${encodeURIComponent(bundleId)}`, { appAppleId, notificationURL }));
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
    await this.call("PUT", "/clock", { now: text(moment) });
  }

  /** Moves the clock forward and returns when every notification due in between was sent; from then on it stands still. */
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
  async verify(body, app, { environment = this.#environment } = {}) {
    const root = await this.#file("root.cer", await this.rootCertificate());
    const command = ["notification", "verify", "-", "--root", root, "--format", "json"];
    if (app !== undefined) command.push("--bundle-id", app.bundleId, "--app-apple-id", String(app.appAppleId));
    const isText = typeof body === "string" || body instanceof Uint8Array;
    const answer = await run(command, isText ? body : json(body));
    if (answer.payload === undefined) throw new NotificationRefused(answer.error, answer.message);
    // A test notification has `data` in place of a token.
    const { externalPurchaseToken: token, data } = answer.payload;
    const isSandbox = token ? token.externalPurchaseId.startsWith("SANDBOX") : data?.environment === "Sandbox";
    const found = isSandbox ? "sandbox" : "production";
    if (environment !== undefined && found !== environment) {
      throw new NotificationRefused("wrong-environment", `the notification is of ${found}, not of ${environment}`);
    }
    return answer.payload;
  }

  /** A receiver for notifications, for tests without a server of your own. */
  inbox() {
    return Inbox.open();
  }

  /** Calls a control path of the emulator, such as `GET /apps`; returns the JSON of the answer. */
  async call(method, path, body) {
    return (await this.#fetch(method, path, body)).json();
  }

  /** The app's key as a file. */
  keyFile(app) {
    return this.#file(`AuthKey_${app.keyId}.p8`, app.privateKey);
  }

  /** Writes a file of the temporary folder, which no reader sees in part. */
  async #file(name, content) {
    const path = join(this.#directory(), name);
    const draft = `${path}.${randomUUID()}`;
    await writeFile(draft, content, { mode: 0o600 });
    await rename(draft, path);
    return path;
  }

  #directory() {
    if (this.#folder === undefined) throw new EmulatorError("the emulator does not run");
    return this.#folder;
  }

  async #fetch(method, path, body) {
    const address = `${this.url}/emulator/v1${path}`;
    const headers = body === undefined ? {} : { "Content-Type": "application/json" };
    const data = body === undefined ? undefined : json(body);
    const answer = await fetch(address, { method, headers, body: data }).catch((error) => {
      const reason = error.cause?.message || error.message;
      throw new EmulatorError(`${method} ${address}: no answer: ${reason}; the emulator's log: ${this.#log.trim() || "empty"}`, undefined, error);
    });
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
      creationDate: created && Date.parse(text(created)),
      expirationDate: expires && Date.parse(text(expires)),
      externalPurchaseId,
    });
    return { text: token, externalPurchaseId: decoded.externalPurchaseId, decoded };
  }

  /** Signs a report with the app's key, sends it and returns the answer. */
  async send(report) {
    const body = json(report);
    const answer = await run(["report", "send", "-", ...(await this.#signed())], body);
    const { accepted, status, errors } = answer;
    let { message } = answer;
    let reason = null;
    if (!accepted && status !== null && errors.length === 0) {
      // Apple's side does not say why; the emulator's journal does.
      for (const row of (await this.#emulator.requests()).reverse()) {
        if (row.status !== status) continue;
        if (row.fault !== null && row.body === "") {
          message = `the fault "${row.fault}" of this emulator answered with ${status}`;
          break;
        }
        if (row.body === body && row.message !== null) {
          ({ message, reason } = row);
          break;
        }
      }
    }
    return { accepted, status, errors, message, reason, codes: errors.map((error) => error.errorCode) };
  }

  /** Returns a report that was accepted, as Apple's side has it. */
  async get(requestIdentifier) {
    return run(["report", "get", ...(await this.#signed()), "--", String(requestIdentifier)], "");
  }

  /** The options of a command that signs a request for this app. */
  async #signed() {
    const address = ["--format", "json", "--base-url", this.#emulator.url, "--bundle-id", this.bundleId];
    return [...address, "--key", await this.keyFile(), "--key-id", this.keyId, "--issuer-id", this.issuerId];
  }

  /** Sends a notification now and returns it with the result of the attempt. */
  async notify(token, subtype = "UNREPORTED", { damage } = {}) {
    const externalPurchaseId = typeof token === "string" ? token : token.externalPurchaseId;
    const result = await this.#emulator.call("POST", "/notifications", { externalPurchaseId, subtype, damage });
    if (result.sendAttempts.length === 0) {
      throw new EmulatorError(`${this.bundleId} has no address for notifications: register(…, { notificationURL })`);
    }
    return result;
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
      try {
        for await (const chunk of request) chunks.push(chunk);
      } catch {
        // The connection broke.
        return response.destroy();
      }
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

/** A moment as the emulator reads it. */
function text(moment) {
  if (!(moment instanceof Date) || Number.isNaN(moment.getTime())) throw new EmulatorError(`${moment} is no Date with a moment`);
  return moment.toISOString();
}

function json(value) {
  try {
    const written = JSON.stringify(value);
    if (written !== undefined) return written;
  } catch (error) {
    throw new EmulatorError(`not to be written as JSON: ${error.message}`, undefined, error);
  }
  throw new EmulatorError(`not to be written as JSON: ${typeof value}`);
}

/** Runs a command of the program that prints one JSON object. */
async function run(command, input) {
  const output = { stdout: "", stderr: "" };
  try {
    const child = spawn(program(), command);
    const ended = new Promise((resolve, reject) => child.once("close", resolve).once("error", reject));
    for (const name of ["stdout", "stderr"]) child[name].setEncoding("utf8").on("data", (words) => (output[name] += words));
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    await ended;
  } catch (error) {
    throw new EmulatorError(`${command.slice(0, 2).join(" ")}: ${error.message}`, undefined, error);
  }
  try {
    return JSON.parse(output.stdout);
  } catch {
    throw new EmulatorError(`${command.slice(0, 2).join(" ")}: ${output.stderr.trim() || output.stdout}`);
  }
}
