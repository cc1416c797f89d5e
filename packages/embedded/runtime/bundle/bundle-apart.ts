import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BundleOutcome } from "./bundle.ts";

const entry = fileURLToPath(new URL("./bundle-process.ts", import.meta.url));

/**
 * Runs `bundleFunctions` in a separate process that ends afterwards. Bundling needs the compiler and the syntax
 * trees of all code. That is many times the memory of the result, and a process that bundles once would keep
 * it.
 */
export function bundleApart(directory: string): Promise<BundleOutcome> {
  const child = fork(entry, { serialization: "advanced", execArgv: [] });
  child.send(directory);
  return new Promise((resolve, reject) => {
    child.once("message", (outcome) => resolve(outcome as BundleOutcome));
    child.once("error", reject);
    // Has no effect after the message.
    child.once("exit", () => reject(new Error("The functions could not be bundled: the bundler has ended.")));
  });
}
