/** An emulator of Apple's side of external purchases, for tests. */

export interface EmulatorOptions {
  /** Where a virtual clock starts; without it the clock is the machine's until it is moved. */
  now?: Date;
  /** The same number gives the same ids and keys. */
  seed?: number;
  /** By default both, told by the token. */
  environment?: "sandbox" | "production";
  /** `false` accepts requests without a signed token, for a client that does not sign yet. */
  checkSignatures?: boolean;
  /** Named settings, such as `{ "rules.clockSkew": "300s" }`. */
  settings?: Record<string, string>;
  /** Milliseconds that the start may take (30,000). */
  startTimeout?: number;
}

export interface TokenOptions {
  environment?: "sandbox" | "production";
  tokenType?: "ACQUISITION" | "SERVICES" | "IN_APP" | "LINK_OUT" | "CORE_TECHNOLOGY";
  created?: Date;
  expires?: Date;
  externalPurchaseId?: string;
}

/** An external purchase token, as a device gets it. */
export interface Token {
  /** What the app passes to the website: Base64URL of a JSON object. */
  readonly text: string;
  readonly externalPurchaseId: string;
  /** The emulator's reading of it: environment, type, dates. */
  readonly decoded: Record<string, unknown>;
}

/** One of Apple's errors of a refused report. */
export interface ReportError {
  readonly errorCode: number;
  readonly errorMessage: string;
  readonly fieldName?: string;
  readonly lineItemId?: string;
}

/** What Apple's side answers to a report. */
export interface Answer {
  readonly accepted: boolean;
  /** `null` where no answer came, as after a fault that loses it. */
  readonly status: number | null;
  readonly errors: readonly ReportError[];
  /** The codes of the errors; the setting `messages.12` has the text of code 12. */
  readonly codes: readonly number[];
  /** What happened, in words. Where Apple's side refuses without errors, as a malformed report, the emulator's reason. */
  readonly message: string;
  /** The emulator's reason of a refusal without errors, as a word: `SA-55`, `signature-wrong`, …; otherwise `null`. */
  readonly reason: string | null;
}

/** A request of the journal. */
export interface JournalEntry {
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly bundleId: string | null;
  /** Why a request was refused before its report was read, such as `key-unknown`. */
  readonly reason: string | null;
  readonly message: string | null;
  readonly errors: readonly ReportError[];
  readonly fault: unknown;
  readonly body: string;
}

export interface NotificationRecord {
  readonly notificationUUID: string;
  readonly notificationType: string;
  readonly subtype: string | null;
  readonly externalPurchaseId: string | null;
  readonly sendAttempts: readonly { readonly attemptDate: number; readonly sendAttemptResult: string }[];
  /** `null` until the notification was sent. */
  readonly signedPayload: string | null;
  readonly [member: string]: unknown;
}

/** What a request meets in place of an answer, or before it. */
export interface Behaviour {
  status?: number;
  retryAfterMs?: number;
  delayMs?: number;
  dropAfterAccept?: boolean;
  closeConnection?: boolean;
  closeMidBody?: boolean;
  slowBodyMs?: number;
  malformedJSON?: boolean;
}

/** The path of the program `external-purchase`: that of this package, or the file that EXTERNAL_PURCHASE names. */
export function program(): string;

/** The emulator does not start, or refuses a control request. */
export class EmulatorError extends Error {
  readonly status: number | undefined;
}

/** A notification is not genuine. */
export class NotificationRefused extends Error {
  /** Why, as a word: `signature-wrong`, `chain-untrusted`, … */
  readonly reason: string;
}

/** Apple's side, on a free port of this machine, with everything in memory. It also ends when this process does. */
export class Emulator {
  private constructor();
  /** Starts the program on a free port and returns when it answers. */
  static start(options?: EmulatorOptions): Promise<Emulator>;
  /** Ends the program and deletes its temporary folder; a second call does nothing. */
  stop(): Promise<void>;
  /** The base URL for your client, in place of https://api.storekit.apple.com. */
  get url(): string;

  /** Registers an app, or changes it; its notifications go to `notificationURL`. */
  register(bundleId: string, appAppleId: number, options?: { notificationURL?: string }): Promise<App>;
  /** The tokens with the reports that were accepted on them. */
  tokens(bundleId?: string): Promise<Record<string, unknown>[]>;
  /** The journal of requests to Apple's paths. */
  requests(): Promise<JournalEntry[]>;
  clearRequests(): Promise<void>;

  /** The emulator's clock. */
  now(): Promise<Date>;
  /** Sets the clock, which is virtual from then on. */
  setNow(moment: Date): Promise<void>;
  /**
   * Moves the clock forward by whole seconds and returns when every notification due in between was sent. From then on the
   * clock stands still until it is moved again.
   */
  advance(seconds: number): Promise<Date>;

  /** Lets the next requests fail. */
  fault(behaviour: Behaviour, options?: { method?: string; path?: string; times?: number }): Promise<void>;
  clearFaults(): Promise<void>;
  /** Every named setting. */
  settings(): Promise<Record<string, string>>;
  /** Changes named settings. */
  set(settings: Record<string, string>): Promise<void>;
  /** Deletes tokens, reports and customers; clock and settings return to their start. Apps and keys stay. */
  reset(): Promise<void>;

  /** The root that signs notifications, in DER: trust it in your server in place of Apple's. */
  rootCertificate(): Promise<Uint8Array>;
  notifications(): Promise<NotificationRecord[]>;
  /**
   * Verifies a notification as your server should: chain, signature, app and environment; returns its payload.
   *
   * @param body the signed payload or the body around it, also as the object that a web framework makes of it
   * @param options the environment that the notification must be of; by default that of `Emulator.start`, or any
   * @throws NotificationRefused
   */
  verify(body: string | Uint8Array | object, app?: App, options?: { environment?: "sandbox" | "production" }): Promise<Record<string, any>>;
  /** A receiver for notifications, for tests without a server of your own. */
  inbox(): Promise<Inbox>;
  /** Calls a control path of the emulator, such as `GET /apps`; returns the JSON of the answer. */
  call(method: string, path: string, body?: unknown): Promise<any>;
}

/** An app that the emulator knows, with the key that its server signs with. */
export class App {
  private constructor();
  readonly bundleId: string;
  readonly appAppleId: number;
  readonly keyId: string;
  readonly issuerId: string;
  /** The text of the .p8 file. */
  readonly privateKey: string;
  /** The key as a file of the emulator's temporary folder, AuthKey_<keyId>.p8. */
  keyFile(): Promise<string>;
  /** Makes a token, as StoreKit does on a device. */
  mintToken(options?: TokenOptions): Promise<Token>;
  /** Signs a report with the app's key, sends it and returns the answer. */
  send(report: unknown): Promise<Answer>;
  /** Returns a report that was accepted, as Apple's side has it. */
  get(requestIdentifier: string): Promise<Record<string, any>>;
  /**
   * Sends a notification to the app's address now and returns it with the result of the attempt. `damage` tampers with it;
   * an unknown word is answered with the list.
   */
  notify(token: Token | string, subtype?: "CREATED" | "ACTIVE_TOKEN_REMINDER" | "UNREPORTED", options?: { damage?: string }): Promise<NotificationRecord>;
}

/** Receives notifications on a free port of this machine and answers them with 200. */
export class Inbox {
  private constructor();
  get url(): string;
  /** The body of the next notification; waits for it, 30,000 ms by default. */
  next(timeout?: number): Promise<string>;
  close(): Promise<void>;
}
