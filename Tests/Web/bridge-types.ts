// A host by the types of docs/bridge/bridge-v1.d.ts: this must compile, and what is marked must not.

import type * as Bridge from "../../docs/bridge/bridge-v1";

type Methods = Bridge.Methods;
declare function request<M extends keyof Methods>(
  method: M,
  parameters: Methods[M]["parameters"],
): Promise<Methods[M]["result"]>;

export async function purchase(): Promise<string | null> {
  await request("configure", { delivery: { kind: "host" }, gates: ["age"] });
  await request("setGates", { gates: { age: { isOpen: false, reason: "under age" } } });
  const { availability } = await request("availability", {});
  for (const offer of availability?.offers ?? []) {
    if (offer.kind === "links") return offer.urls[0];
  }
  const destination: Bridge.Destination = { kind: "outOfApp", url: "https://shop.example.com/offer" };
  const result = await request("purchaseWithCustomLink", { destination });
  if (result.outcome === "continued") return result.tokens[0].externalPurchaseId;
  if (result.outcome === "notOffered" && result.notOffered.kind === "gateClosed") return result.notOffered.gate.reason;
  // @ts-expect-error the outcome has no such case
  if (result.outcome === "sold") return null;
  // @ts-expect-error a delivery of another kind
  await request("configure", { delivery: { kind: "post" } });
  // @ts-expect-error no such parameter
  await request("openLink", { link: "https://shop.example.com/nl" });
  // @ts-expect-error a closed gate has a reason
  await request("setGates", { gates: { age: { isOpen: false } } });
  return null;
}

export function receive(event: Bridge.Event): string | null {
  if (event.event === "question" && event.data.kind === "sendToken") return event.data.token.text;
  // @ts-expect-error only the question that sends a token has its text
  if (event.event === "question" && event.data.kind === "openURL") return event.data.token.text;
  return null;
}
