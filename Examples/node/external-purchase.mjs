// Reports a sale and its refund as Apple's External Purchase Server API asks, and verifies a signed notification.
// It needs Node 18 or later and no package. ../README.md has the settings.

import { createPrivateKey, randomUUID, sign, verify, X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";

const env = process.env;
// In production: https://api.storekit.apple.com, and https://api.storekit-sandbox.apple.com for sandbox tokens.
const baseURL = env.EMULATOR_URL ?? "http://127.0.0.1:8801";
const credentials = env.CREDENTIALS ?? "keys";
const environment = env.APPLE_ENVIRONMENT ?? "sandbox";
// In production: "Apple Root CA - G3" from https://www.apple.com/certificateauthority/, as a file.
const rootCertificate = env.ROOT_CERTIFICATE ?? `${baseURL}/emulator/v1/root.cer`;
const maximumBody = 256 * 1024;

/** A notification that is not genuine; the message is the reason. */
class Refusal extends Error {}

function expect(condition, message) {
  if (!condition) throw new Error(message);
}

// region report
/** Signs a token for one request; `key` is a private key of P-256. */
function bearerToken(app, key) {
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: "ES256", kid: app.keyId, typ: "JWT" };
  const claims = { iss: app.issuerId, iat: now, exp: now + 300, aud: "appstoreconnect-v1", bid: app.bundleId };
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  // ES256 is 64 bytes r‖s; without this option Node writes DER.
  const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}

/**
 * Sends a report and returns Apple's errors; an empty list means that the report is accepted.
 *
 * After a timeout the outcome is unknown: GET /externalPurchase/v1/reports/{requestIdentifier} tells it. Only if Apple
 * does not have the report, send the same bytes again.
 */
async function sendReport(app, key, report) {
  const answer = await fetch(`${baseURL}/externalPurchase/v1/reports`, {
    method: "PUT",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${bearerToken(app, key)}` },
    body: JSON.stringify(report),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  if (answer.status === 200) return [];
  if (answer.status === 400 && text !== "") return JSON.parse(text).errors;
  throw new Error(`PUT /externalPurchase/v1/reports: ${answer.status} ${text || "malformed body"}`);
}
// endregion

/** Calls a control path of the emulator, which Apple does not have. */
async function control(method, path, body) {
  const answer = await fetch(`${baseURL}/emulator/v1${path}`, {
    method,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  expect(answer.ok, `${method} /emulator/v1${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}

/** A token is the Base64URL text of a JSON object. It is not signed. */
function decodeToken(token) {
  return JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
}

/** Amounts are integers of 1/1000 of the currency's unit. A cent is 10 of them; a yen, which has no cents, is 1000. */
function milliunits(cents) {
  return cents * 10;
}

function lineItem(eventType, { net, tax, remaining }, members) {
  return {
    lineItemId: randomUUID(),
    creationDate: Date.now(),
    eventType,
    amountTaxExclusive: milliunits(net),
    taxAmount: milliunits(tax),
    amountTaxInclusive: milliunits(net + tax),
    netAmountTaxExclusive: milliunits(remaining),
    pricingCurrency: "EUR",
    reportingCurrency: "EUR",
    taxCountry: "NLD",
    ...members,
  };
}

/** Store the report before it is sent, so that nothing sends the same sale under another identifier. */
function reportOf(token, item) {
  const { externalPurchaseId } = token;
  return { requestIdentifier: randomUUID(), externalPurchaseId, status: "LINE_ITEM", lineItems: [item] };
}

/** Sends a report, prints the outcome and returns the errors. */
async function send(name, app, key, report) {
  const errors = await sendReport(app, key, report);
  console.log(`${name} ${report.lineItems[0].lineItemId}: ${errors.length ? "refused" : "accepted"}`);
  for (const error of errors) {
    console.log(`  code ${error.errorCode}, field ${error.fieldName ?? "-"}: ${error.errorMessage}`);
  }
  return errors;
}

async function reportSaleAndRefund(app, key, token) {
  // EUR 9.99, of it 1.73 tax.
  const product = { productType: "ONE_TIME_BUY", productIdentifier: "com.example.shop.gems", quantity: 1 };
  const sale = lineItem("BUY", { net: 826, tax: 173, remaining: 826 }, product);
  expect((await send("sale", app, key, reportOf(token, sale))).length === 0, "the sale was refused");

  // EUR 3.00 go back. Amounts of refunds have no minus sign; the net amount is what is left of the sale.
  const reference = { referenceLineItemId: sale.lineItemId };
  const refund = reportOf(token, lineItem("REFUND", { net: 248, tax: 52, remaining: 826 }, reference));
  const errors = await send("refund", app, key, refund);
  const found = errors.map((error) => `${error.errorCode} ${error.fieldName}`).join(", ");
  expect(found === "12 netAmountTaxExclusive", `the refund with the sale's net amount drew ${found || "no error"}`);
  // A refused report leaves nothing behind, so the corrected one has the same identifiers.
  refund.lineItems[0].netAmountTaxExclusive = milliunits(826 - 248);
  expect((await send("refund", app, key, refund)).length === 0, "the refund was refused");
}

// Node has no list of a certificate's extensions. These are the encoded identifiers 1.2.840.113635.100.6.2.1 and
// 1.2.840.113635.100.6.11.1, looked for in certificates whose signatures are verified by then.
const intermediateMarker = Buffer.from("060a2a864886f76364060201", "hex");
const leafMarker = Buffer.from("060a2a864886f76364060b01", "hex");

/** Returns the payload of a genuine notification; throws Refusal. Nothing asks whether a certificate was revoked. */
function verifyNotification(signedPayload, app, root) {
  const refuse = (reason) => { throw new Refusal(reason); };
  const attempt = (reason, read) => { try { return read(); } catch { return refuse(reason); } };
  const object = (reason, part) => attempt(reason, () => {
    const value = /^[\w-]+$/.test(part) && JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return value && typeof value === "object" && !Array.isArray(value) ? value : refuse(reason);
  });

  const parts = String(signedPayload).split(".");
  if (parts.length !== 3 || parts.includes("")) refuse("not-three-parts");
  const header = object("header-unreadable", parts[0]);
  if (header.alg !== "ES256") refuse("algorithm-not-es256");
  if (!Array.isArray(header.x5c)) refuse("chain-missing");
  if (header.x5c.length !== 3) refuse("chain-length");
  const payload = object("payload-unreadable", parts[1]);
  // The third certificate is not read: the root comes from the settings only.
  const [leaf, intermediate] = attempt("certificate-unreadable", () =>
    header.x5c.slice(0, 2).map((text) => new X509Certificate(Buffer.from(text, "base64"))));

  const issued = (certificate, issuer) =>
    issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  if (!issued(intermediate, root) || !issued(leaf, intermediate)) refuse("chain-untrusted");
  const moment = payload.signedDate ?? Date.now();
  for (const certificate of [leaf, intermediate, root]) {
    if (!(moment <= Date.parse(certificate.validTo))) refuse("certificate-expired");
    if (!(moment >= Date.parse(certificate.validFrom))) refuse("certificate-not-yet-valid");
  }
  if (!intermediate.raw.includes(intermediateMarker)) refuse("intermediate-marker-missing");
  if (!leaf.raw.includes(leafMarker)) refuse("leaf-marker-missing");

  if (leaf.publicKey.asymmetricKeyDetails?.namedCurve !== "prime256v1") refuse("leaf-key-not-p256");
  const signature = Buffer.from(parts[2], "base64url");
  const key = { key: leaf.publicKey, dsaEncoding: "ieee-p1363" };
  if (signature.length !== 64 || !verify("sha256", Buffer.from(`${parts[0]}.${parts[1]}`), key, signature)) {
    refuse("signature-wrong");
  }
  for (const member of ["notificationType", "notificationUUID", "version", "signedDate"]) {
    if (payload[member] === undefined) refuse("payload-incomplete");
  }
  // A test notification has `data` in place of a token.
  const token = payload.externalPurchaseToken;
  const about = token ?? payload.data ?? refuse("payload-incomplete");
  if (about.bundleId !== app.bundleId) refuse("wrong-app");
  if (environment === "production" && about.appAppleId !== app.appAppleId) refuse("wrong-app");
  const isSandbox = token ? String(token.externalPurchaseId).startsWith("SANDBOX") : about.environment === "Sandbox";
  if (isSandbox !== (environment === "sandbox")) refuse("wrong-environment");
  return payload;
}
/** The status with which a notification is answered: Apple sends what is not answered with 200 again. */
function receive(body, app, root) {
  try {
    const payload = verifyNotification(JSON.parse(body).signedPayload, app, root);
    console.log(`notification ${payload.notificationUUID}: ${payload.subtype} is genuine`);
    // Answer 200 only after the notification is stored.
    return 200;
  } catch (error) {
    console.log(`notification refused: ${error instanceof Refusal ? error.message : "body-unreadable"}`);
    return 400;
  }
}

async function receiveNotifications(app, token, root) {
  const server = createServer(async (request, response) => {
    try {
      const chunks = [];
      let size = 0;
      for await (const chunk of request) if ((size += chunk.length) <= maximumBody) chunks.push(chunk);
      const status = size <= maximumBody ? receive(Buffer.concat(chunks).toString("utf8"), app, root) : 400;
      response.writeHead(status, { "Content-Length": 0 }).end();
    } catch {
      // The connection broke. Without an answer, Apple sends the notification again.
      response.destroy();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const notificationURL = `http://127.0.0.1:${server.address().port}/`;
    await control("PUT", `/apps/${app.bundleId}`, { notificationURL });
    const order = { externalPurchaseId: token.externalPurchaseId, subtype: "UNREPORTED" };
    for (const damage of [undefined, "signature-wrong", "body-unreadable"]) {
      const record = await control("POST", "/notifications", { ...order, damage });
      const result = record.sendAttempts.at(-1)?.sendAttemptResult;
      const expected = damage ? "UNSUCCESSFUL_HTTP_RESPONSE_CODE" : "SUCCESS";
      expect(result === expected, `the notification (${damage ?? "as signed"}) ended with ${result}, not ${expected}`);
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

async function main() {
  const isKnown = ["sandbox", "production"].includes(environment);
  expect(isKnown, `APPLE_ENVIRONMENT=${environment}: sandbox or production is right`);
  const file = `${credentials}/credentials.json`;
  expect(existsSync(file), `${file} does not exist; \`emulator --credentials\` writes it`);
  const app = JSON.parse(readFileSync(file, "utf8")).apps[0];
  const key = createPrivateKey(readFileSync(`${credentials}/${app.keyFile}`));
  const root = new X509Certificate(
    rootCertificate.startsWith("http")
      ? Buffer.from(await (await fetch(rootCertificate)).arrayBuffer())
      : readFileSync(rootCertificate),
  );
  if (env.SIGNED_PAYLOAD) {
    const payload = verifyNotification(env.SIGNED_PAYLOAD, app, root);
    console.log(`genuine: ${payload.notificationType} ${payload.subtype ?? ""}`.trim());
    return;
  }
  const token = decodeToken((await control("POST", "/tokens", { bundleId: app.bundleId, environment })).token);
  console.log(`token ${token.externalPurchaseId}`);
  await reportSaleAndRefund(app, key, token);
  await receiveNotifications(app, token, root);
}

try {
  await main();
} catch (error) {
  const cause = error.cause ? ` (${error.cause.message || error.cause.code})` : "";
  console.error(`${error instanceof Refusal ? "refused" : "error"}: ${error.message}${cause}`);
  process.exitCode = 1;
}
