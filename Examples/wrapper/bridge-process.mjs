// The native part of a wrapper, played by `external-purchase bridge` over a simulated StoreKit.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

// region process
/** Starts the bridge: `call` for the host's requests; `receive` is called with each event; `end` returns the exit code. */
export function startBridge(binary, session, receive) {
  const bridge = spawn(binary, ["bridge", "--session", session], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  createInterface({ input: bridge.stdout }).on("line", (line) => {
    const message = JSON.parse(line);
    if ("event" in message) return receive(line);
    waiting.get(message.id)?.(line);
    waiting.delete(message.id);
  });
  const exit = new Promise((resolve) => bridge.on("close", resolve));
  return {
    call: (request) =>
      new Promise((resolve) => {
        waiting.set(JSON.parse(request).id, resolve);
        bridge.stdin.write(request + "\n");
      }),
    end: () => {
      bridge.stdin.end();
      return exit;
    },
  };
}
// endregion
