// Tests external-purchase.mjs against an emulator of the test's own, by the package `external-purchase` (Packaging/node).

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
// In a project that installed the package: from "external-purchase".
import { Emulator } from "../../Packaging/node/index.js";

const program = fileURLToPath(new URL("external-purchase.mjs", import.meta.url));

for (const environment of ["sandbox", "production"]) {
  test(`a sale, a refused refund and the corrected one in ${environment}`, async () => {
    const apple = await Emulator.start();
    try {
      const app = await apple.register("com.example.shop", 1234567890);
      const keys = dirname(await app.keyFile());
      const { bundleId, appAppleId, keyId, issuerId } = app;
      const entry = { bundleId, appAppleId, keyId, issuerId, keyFile: basename(await app.keyFile()) };
      await writeFile(join(keys, "credentials.json"), JSON.stringify({ apps: [entry] }));
      const settings = { EMULATOR_URL: apple.url, CREDENTIALS: keys, APPLE_ENVIRONMENT: environment };

      await promisify(execFile)(process.execPath, [program], { env: { ...process.env, ...settings } });

      const answers = (await apple.requests()).map((row) => [row.status, row.errors.map((error) => error.errorCode)]);
      assert.deepEqual(answers, [[200, []], [400, [12]], [200, []]]);
    } finally {
      await apple.stop();
    }
  });
}
