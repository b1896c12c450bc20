// node --test Examples/wrapper    (EXTERNAL_PURCHASE names the command line, or it is the debug build)

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { startBridge } from "./bridge-process.mjs";
import { Purchases } from "./purchases.mjs";

const binary = process.env.EXTERNAL_PURCHASE ?? ".build/debug/external-purchase";

// A session of the simulated StoreKit: where the customer is, on which system, and what the sheets are answered.
function sessionFile(folder, more = {}) {
  writeFileSync(
    join(folder, "Info.plist"),
    `<plist version="1.0"><dict>
     <key>CFBundleIdentifier</key><string>com.example.stickers</string>
     <key>SKExternalPurchaseCustomLinkRegions</key><array><string>nl</string></array>
     </dict></plist>`,
  );
  writeFileSync(
    join(folder, "App.entitlements"),
    `<plist version="1.0"><dict>
     <key>com.apple.developer.storekit.external-purchase-link</key><true/>
     </dict></plist>`,
  );
  const session = {
    storefront: "NLD",
    os: "iOS 26.5",
    infoPlist: "Info.plist",
    entitlements: "App.entitlements",
    sheetAnswers: ["continue"],
    ...more,
  };
  writeFileSync(join(folder, "session.json"), JSON.stringify(session));
  return join(folder, "session.json");
}

async function withPurchases(more, answers, body) {
  const folder = mkdtempSync(join(tmpdir(), "wrapper-"));
  const bridge = startBridge(binary, sessionFile(folder, more), (event) => purchases.receive(event));
  const purchases = new Purchases(bridge.call, answers);
  let code;
  try {
    await body(purchases);
  } finally {
    // A process that is not ended keeps a failed test from ending.
    code = await bridge.end();
    rmSync(folder, { recursive: true });
  }
  assert.equal(code, 0);
}

// region test
test("a purchase opens the website once, and its tokens reach the server", async () => {
  const opened = [];
  const stored = [];
  const answers = {
    openURL: async (url) => opened.push(url) === 1,
    sendToken: async (token) => {
      stored.push(token.type);
      return { delivery: "stored" };
    },
  };
  await withPurchases({}, answers, async (purchases) => {
    const delivered = new Promise((resolve) =>
      purchases.listen((event, data) => event === "outboxStatus" && stored.length === 2 && !data.pending && resolve()),
    );
    await purchases.request("configure", { delivery: { kind: "host" }, opensURL: true });
    await purchases.request("start");
    const { availability } = await purchases.request("refresh");
    assert.equal(availability.offers[0].kind, "customLink");
    const destination = { kind: "outOfApp", url: "https://shop.example.com/offer" };
    const result = await purchases.request("purchaseWithCustomLink", { destination });
    assert.equal(result.outcome, "continued");
    assert.deepEqual(opened, ["https://shop.example.com/offer"]);
    await delivered;
    assert.deepEqual(stored.sort(), ["ACQUISITION", "SERVICES"]);
  });
});
// endregion

test("where Apple offers nothing, In-App Purchase is what remains", async () => {
  await withPurchases({ storefront: "USA" }, {}, async (purchases) => {
    await purchases.request("configure", { delivery: { kind: "host" } });
    const { availability } = await purchases.request("refresh");
    assert.deepEqual(availability.offers, [{ kind: "inAppPurchase" }]);
    const destination = { kind: "withinApp" };
    const result = await purchases.request("purchaseWithCustomLink", { destination });
    assert.equal(result.outcome, "notOffered");
  });
});

test("an error of the bridge has its code and place", async () => {
  await withPurchases({}, {}, async (purchases) => {
    await assert.rejects(purchases.request("start"), { code: "not-configured" });
    const parameters = { delivery: { kind: "host" }, link: 1 };
    await assert.rejects(purchases.request("configure", parameters), {
      code: "unknown-member",
      path: "/parameters/link",
    });
  });
});

test("a customer who cancels, and a host that opens nothing", async () => {
  await withPurchases({ sheetAnswers: ["cancel", "continue"] }, {}, async (purchases) => {
    await purchases.request("configure", { delivery: { kind: "host" }, opensURL: true });
    const parameters = { destination: { kind: "outOfApp", url: "https://shop.example.com/offer" } };
    assert.equal((await purchases.request("purchaseWithCustomLink", parameters)).outcome, "cancelled");
    assert.equal((await purchases.request("purchaseWithCustomLink", parameters)).outcome, "destinationNotOpened");
  });
});
