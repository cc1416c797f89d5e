import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BundleOutcome } from "../runtime/bundle/bundle.ts";
import type { BundleAnswer, BundleRequest } from "../runtime/bundle/bundle-process.ts";
import type { InlineOutcome } from "../runtime/bundle/inline-query.ts";
import type { PushedCode } from "../runtime/bundle/pushed-code.ts";

const bundleProcess = fileURLToPath(new URL("../runtime/bundle/bundle-process.ts", import.meta.url));

/**
 * Bundles in a separate process that ends afterward. Bundling takes many times the memory of its result, which this process
 * would keep.
 */
async function inProcess(request: BundleRequest): Promise<BundleAnswer> {
  const child = fork(bundleProcess, { serialization: "advanced", execArgv: [] });
  child.send(request);
  return new Promise<BundleAnswer>((resolve, reject) => {
    child.once("message", (message) => resolve(message as BundleAnswer));
    child.once("error", reject);
    // Has no effect after the message.
    child.once("exit", () => reject(new Error("The functions could not be bundled: the bundler has ended.")));
  });
}

/** Bundles a functions folder. */
export function bundleFolder(folder: string): Promise<BundleOutcome> {
  return inProcess({ kind: "folder", folder }) as Promise<BundleOutcome>;
}

/** Bundles code that the convex command has pushed. */
export function bundlePushedCode(code: PushedCode): Promise<BundleOutcome> {
  return inProcess({ kind: "pushed", code }) as Promise<BundleOutcome>;
}

/** Bundles the query of `npx convex run --inline-query`. */
export function bundleQuerySource(source: string): Promise<InlineOutcome> {
  return inProcess({ kind: "query", source }) as Promise<InlineOutcome>;
}
