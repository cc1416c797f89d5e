import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BundleOutcome } from "./bundle.ts";

const entry = fileURLToPath(new URL("./bundle-process.ts", import.meta.url));

/**
 * `bundleFunctions` in a process that ends with it. What bundling takes (the compiler, syntax trees of everything)
 * is many times what its result takes, and would stay with a process that bundles but once.
 */
export function bundleApart(directory: string): Promise<BundleOutcome> {
  const child = fork(entry, { serialization: "advanced", execArgv: [] });
  child.send(directory);
  return new Promise((resolve, reject) => {
    child.once("message", (outcome) => resolve(outcome as BundleOutcome));
    child.once("error", reject);
    // After the message this is nothing new.
    child.once("exit", () => reject(new Error("The functions could not be bundled: the bundler has ended.")));
  });
}
