// Compiled and not run: what a test in TypeScript writes.
import { App, Emulator, EmulatorError, NotificationRefused, Token } from "../../../Packaging/node/index.js";

async function story(): Promise<string[]> {
  const apple: Emulator = await Emulator.start({ now: new Date(), seed: 7, environment: "sandbox", settings: { "rules.clockSkew": "300s" } });
  const app: App = await apple.register("com.example.shop", 1234567890, { notificationURL: "http://127.0.0.1:9/" });
  const token: Token = await app.mintToken({ tokenType: "SERVICES", created: await apple.now() });
  await apple.fault({ status: 429, retryAfterMs: 10 }, { times: 2 });
  const answer = await app.send({ externalPurchaseId: token.externalPurchaseId, status: "NO_LINE_ITEM" });
  const codes: readonly number[] = answer.codes;
  const fields: (string | undefined)[] = answer.errors.map((error) => error.fieldName);
  const inbox = await apple.inbox();
  try {
    await app.notify(token, "UNREPORTED", { damage: "signature-wrong" });
    const payload = await apple.verify(JSON.parse(await inbox.next(1000)), app, { environment: "sandbox" });
    const [reason, kept]: [string | null, string] = [answer.reason, (await app.get("5e7a0000-1111-4222-8333-000000000001")).status];
    if (reason === null) return [kept];
    return [payload.subtype, String(codes.length), ...fields.map(String), (await apple.requests())[0].method];
  } catch (error) {
    if (error instanceof NotificationRefused) return [error.reason];
    if (error instanceof EmulatorError) return [String(error.status)];
    throw error;
  } finally {
    await inbox.close();
    await apple.stop();
  }
}

// @ts-expect-error An emulator is started, not constructed.
new Emulator();
// @ts-expect-error The environment is one of two words.
Emulator.start({ environment: "staging" });
// @ts-expect-error The subtype is one of three words.
(app: App, token: Token) => app.notify(token, "SOLD");

export { story };
