// Generated from docs/bridge/bridge-v1.schema.json by `./run tables`. Do not edit.
//
// Messages of ExternalPurchaseKitBridge, version 1. A host ignores members that it does not know, and
// treats an outcome or kind that is not in these types as failed.

/** Chosen by the host; the answer repeats it. */
export type Id = string;

export type ConfigureRequest = {
  version: 1;
  id: Id;
  method: "configure";
  parameters: {
    delivery: Delivery;
    /** The server whose policy the offers follow; null or left out, none is asked for. */
    policy?: Policy | null;
    /** The names of the gates, in the order in which they are asked. */
    gates?: string[];
    /** Whether the host answers questions of the kind disclosure. */
    showsDisclosure?: boolean;
    /** Whether the host answers questions of the kind openURL. */
    opensURL?: boolean;
    /** By storefront, where they differ from those of the package. */
    tokenSchemes?: Record<string, TokenScheme>;
    customerId?: string | null;
  };
};

export type ConfigureResult = State;

export type StartRequest = {
  version: 1;
  id: Id;
  method: "start";
  parameters?: Record<string, never>;
};

export type StartResult = Nothing;

export type StopRequest = {
  version: 1;
  id: Id;
  method: "stop";
  parameters?: Record<string, never>;
};

export type StopResult = Nothing;

export type RefreshRequest = {
  version: 1;
  id: Id;
  method: "refresh";
  parameters?: Record<string, never>;
};

export type RefreshResult = State;

export type AvailabilityRequest = {
  version: 1;
  id: Id;
  method: "availability";
  parameters?: Record<string, never>;
};

export type AvailabilityResult = State;

export type SetCustomerRequest = {
  version: 1;
  id: Id;
  method: "setCustomer";
  parameters: {
    customerId: string | null;
  };
};

export type SetCustomerResult = Nothing;

export type SetGatesRequest = {
  version: 1;
  id: Id;
  method: "setGates";
  parameters: {
    /** By name, as configure lists them. */
    gates: Record<string, GateDecision>;
  };
};

export type SetGatesResult = State;

export type OpenLinkRequest = {
  version: 1;
  id: Id;
  method: "openLink";
  parameters?: {
    /** One of the eligible links; without it the first one. */
    url?: string | null;
  };
};

export type OpenLinkResult = {
  outcome: "askingCustomer";
  url: string | null;
} | NotOffered | Failed;

export type PresentNoticeSheetRequest = {
  version: 1;
  id: Id;
  method: "presentNoticeSheet";
  parameters?: Record<string, never>;
};

export type PresentNoticeSheetResult = {
  outcome: "continued" | "tokenNotKept";
  token: Token;
} | {
  outcome: "continuedWithoutToken" | "cancelled";
} | NotOffered | Failed;

export type PurchaseWithCustomLinkRequest = {
  version: 1;
  id: Id;
  method: "purchaseWithCustomLink";
  parameters: {
    destination: Destination;
  };
};

export type PurchaseWithCustomLinkResult = {
  outcome: "continued" | "destinationNotOpened" | "tokensNotKept";
  tokens: Token[];
  missing: MissingToken[];
} | {
  outcome: "cancelled";
} | {
  outcome: "tokenFailed";
  failure: StoreFailure;
} | NotOffered | Failed;

export type AnswerDisclosureRequest = {
  version: 1;
  id: Id;
  method: "answerDisclosure";
  parameters: {
    question: QuestionId;
    isContinued: boolean;
  };
};

export type AnswerDisclosureResult = Nothing;

export type AnswerOpenURLRequest = {
  version: 1;
  id: Id;
  method: "answerOpenURL";
  parameters: {
    question: QuestionId;
    isOpened: boolean;
  };
};

export type AnswerOpenURLResult = Nothing;

export type AnswerSendTokenRequest = {
  version: 1;
  id: Id;
  method: "answerSendToken";
  parameters: {
    question: QuestionId;
    delivery: "stored";
  } | {
    question: QuestionId;
    delivery: "refused";
    reason: string;
  } | {
    question: QuestionId;
    delivery: "retry";
    afterSeconds?: number | null;
  };
};

export type AnswerSendTokenResult = Nothing;

export type OutboxStatusRequest = {
  version: 1;
  id: Id;
  method: "outboxStatus";
  parameters?: Record<string, never>;
};

export type OutboxStatusResult = OutboxStatus;

export type RefusedTokensRequest = {
  version: 1;
  id: Id;
  method: "refusedTokens";
  parameters?: Record<string, never>;
};

export type RefusedTokensResult = {
  tokens: TokenWithText[];
};

export type RetryRefusedRequest = {
  version: 1;
  id: Id;
  method: "retryRefused";
  parameters?: Record<string, never>;
};

export type RetryRefusedResult = OutboxStatus;

export type DismissInterruptedRequestsRequest = {
  version: 1;
  id: Id;
  method: "dismissInterruptedRequests";
  parameters?: Record<string, never>;
};

export type DismissInterruptedRequestsResult = OutboxStatus;

export type WakeRequest = {
  version: 1;
  id: Id;
  method: "wake";
  parameters?: Record<string, never>;
};

export type WakeResult = Nothing;

export type DeliverDueRequest = {
  version: 1;
  id: Id;
  method: "deliverDue";
  parameters?: Record<string, never>;
};

export type DeliverDueResult = {
  /** Until the next attempt; null when nothing waits. */
  waitSeconds: number | null;
};

export type Request = ConfigureRequest | StartRequest | StopRequest | RefreshRequest | AvailabilityRequest | SetCustomerRequest | SetGatesRequest | OpenLinkRequest | PresentNoticeSheetRequest | PurchaseWithCustomLinkRequest | AnswerDisclosureRequest | AnswerOpenURLRequest | AnswerSendTokenRequest | OutboxStatusRequest | RefusedTokensRequest | RetryRefusedRequest | DismissInterruptedRequestsRequest | WakeRequest | DeliverDueRequest;

export type Answer = {
  version: 1;
  id: string;
  /** The definition METHOD.result. */
  result: Record<string, unknown>;
} | {
  version: 1;
  /** Null if the request has none that can be read. */
  id: string | null;
  error: Error;
};

export type Error = {
  code: "not-json" | "request-too-large" | "unsupported-version" | "unknown-method" | "missing-member" | "unknown-member" | "repeated-member" | "invalid-value" | "not-configured" | "delivery-not-usable" | "policy-not-usable" | "unknown-gate" | "unknown-question" | "storage-failed";
  message: string;
  /** A JSON Pointer into the request. */
  path: string | null;
};

export type AvailabilityEvent = {
  version: 1;
  event: "availability";
  data: State;
};

export type OutboxStatusEvent = {
  version: 1;
  event: "outboxStatus";
  data: OutboxStatus;
};

export type QuestionEvent = {
  version: 1;
  event: "question";
  data: {
    question: QuestionId;
    kind: "disclosure";
    destination: Destination;
  } | {
    question: QuestionId;
    kind: "openURL";
    url: string;
  } | {
    question: QuestionId;
    kind: "sendToken";
    token: TokenWithText;
  };
};

export type LogEvent = {
  version: 1;
  event: "log";
  data: {
    level: "info" | "warning" | "error";
    kind: "offersShown" | "tapped" | "continued" | "cancelled" | "refreshed" | "gateClosed" | "storeFailed" | "noToken" | "stored" | "notStored" | "delivered" | "refused" | "deliveryFailed" | "opened" | "storageFailed";
    message: string;
    /** Log events that were dropped before this one. */
    lost: number;
  };
};

export type Event = AvailabilityEvent | OutboxStatusEvent | QuestionEvent | LogEvent;

export type Delivery = {
  kind: "server";
  url: string;
  publishableKey: string;
} | {
  kind: "host";
};

export type Policy = {
  url: string;
  publishableKey: string;
  /** What holds while the server never answered; closed by default. */
  whileUnknown?: "closed" | "open";
};

export type TokenScheme = {
  kind: "periods";
  types: string[];
} | {
  kind: "transaction";
  withinApp: string;
  outOfApp: string;
};

export type Destination = {
  kind: "outOfApp";
  /** Null only in the EU. */
  url: string | null;
} | {
  kind: "withinApp";
};

export type GateDecision = {
  isOpen: true;
} | {
  isOpen: false;
  reason: string;
};

export type QuestionId = string;

export type Nothing = Record<string, never>;

export type State = {
  availability: Availability | null;
  isPurchasing: boolean;
};

export type Availability = {
  storefront: string | null;
  canMakePayments: boolean;
  closedGate: ClosedGate | null;
  /** The closed gate of each flow that has one. */
  closedGates?: {
    withinApp?: ClosedGate;
    outOfApp?: ClosedGate;
  };
  /** Whether In-App Purchase stands beside external purchases in this storefront. */
  inAppPurchase?: "required" | "allowed" | "forbidden" | null;
  offers: Offer[];
  /** The policy's text for customers who may not buy in this storefront. */
  message?: string | null;
  /** False where the policy requests no tokens; sales are reported by hand. */
  requestsTokens?: boolean;
  /** Empty while a gate is closed or the device allows no payments. */
  answers: {
    canPresent?: PropertyAnswer;
    canOpen?: PropertyAnswer;
    eligibleURLs?: PropertyAnswer;
    isEligible?: PropertyAnswer;
  };
};

export type PropertyAnswer = {
  isAvailable: boolean;
  reason: string | null;
};

export type ClosedGate = {
  name: string;
  reason: string;
};

export type Offer = {
  kind: "links";
  urls: string[];
} | {
  kind: "customLink";
  /** The flows whose gates are open. */
  flows?: ("withinApp" | "outOfApp")[];
} | {
  kind: "link" | "noticeSheet" | "inAppPurchase";
};

export type Token = {
  name: string;
  externalPurchaseId: string | null;
  type: string | null;
  storefront: string | null;
  customerId: string | null;
};

export type TokenWithText = {
  name: string;
  externalPurchaseId: string | null;
  type: string | null;
  storefront: string | null;
  customerId: string | null;
  text: string;
};

export type MissingToken = {
  type: string;
  reason: "noneActive" | "notRequested" | "unsupported" | "failed";
  failure: StoreFailure | null;
};

export type StoreFailure = {
  kind: "unsupported" | "notEntitled" | "notAvailableInStorefront" | "network" | "cannotPresent" | "system" | "other";
  message: string;
};

export type StorageFailure = {
  operation: "createFolder" | "list" | "read" | "write" | "synchronize" | "rename" | "remove";
  code: number;
  reason: string;
};

export type Failed = {
  outcome: "failed";
  failure: StoreFailure;
};

export type NotOffered = {
  outcome: "notOffered";
  notOffered: {
    kind: "gateClosed";
    gate: ClosedGate;
  } | {
    kind: "notAvailable";
    reason: string | null;
  } | {
    kind: "unknownTokenScheme";
    storefront: string | null;
  } | {
    kind: "storageFailed";
    failure: StorageFailure;
  } | {
    kind: "paymentsNotAllowed" | "purchaseInProgress" | "noLinkChosen" | "disclosureMissing" | "outboxFull";
  };
};

export type OutboxStatus = {
  pending: number;
  unstored: number;
  refused: {
    name: string;
    reason: string;
  }[];
  unreadable: number;
  unreachable: number;
  interruptedRequests: number;
  size: number;
  isFull: boolean;
  failures: number;
  lastFailure: string | null;
  storageFailure: StorageFailure | null;
};

/** The parameters and the result of each method. */
export interface Methods {
  configure: { parameters: ConfigureRequest["parameters"]; result: ConfigureResult };
  start: { parameters: StartRequest["parameters"]; result: StartResult };
  stop: { parameters: StopRequest["parameters"]; result: StopResult };
  refresh: { parameters: RefreshRequest["parameters"]; result: RefreshResult };
  availability: { parameters: AvailabilityRequest["parameters"]; result: AvailabilityResult };
  setCustomer: { parameters: SetCustomerRequest["parameters"]; result: SetCustomerResult };
  setGates: { parameters: SetGatesRequest["parameters"]; result: SetGatesResult };
  openLink: { parameters: OpenLinkRequest["parameters"]; result: OpenLinkResult };
  presentNoticeSheet: { parameters: PresentNoticeSheetRequest["parameters"]; result: PresentNoticeSheetResult };
  purchaseWithCustomLink: { parameters: PurchaseWithCustomLinkRequest["parameters"]; result: PurchaseWithCustomLinkResult };
  answerDisclosure: { parameters: AnswerDisclosureRequest["parameters"]; result: AnswerDisclosureResult };
  answerOpenURL: { parameters: AnswerOpenURLRequest["parameters"]; result: AnswerOpenURLResult };
  answerSendToken: { parameters: AnswerSendTokenRequest["parameters"]; result: AnswerSendTokenResult };
  outboxStatus: { parameters: OutboxStatusRequest["parameters"]; result: OutboxStatusResult };
  refusedTokens: { parameters: RefusedTokensRequest["parameters"]; result: RefusedTokensResult };
  retryRefused: { parameters: RetryRefusedRequest["parameters"]; result: RetryRefusedResult };
  dismissInterruptedRequests: { parameters: DismissInterruptedRequestsRequest["parameters"]; result: DismissInterruptedRequestsResult };
  wake: { parameters: WakeRequest["parameters"]; result: WakeResult };
  deliverDue: { parameters: DeliverDueRequest["parameters"]; result: DeliverDueResult };
}
