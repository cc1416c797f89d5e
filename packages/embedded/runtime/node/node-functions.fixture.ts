import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { bundleFunctions, type BundleOutcome } from "../bundle/bundle.ts";
import type { NodeBundle } from "../source/bundled-script.ts";

/** Bundles files, named by their paths from a project's folder. The folder is here, so that the convex package is found. */
export async function bundleProject(files: { readonly [path: string]: string }): Promise<BundleOutcome> {
  const folder = await mkdtemp(fileURLToPath(new URL("../fixtures/tmp-", import.meta.url)));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return bundleFunctions(join(folder, "convex"));
}

/** Bundles a "use node" module "a" with this code. `action` makes an action of its handler. */
export async function bundleNodeModule(code: string): Promise<NodeBundle> {
  const imports = `import { actionGeneric as action, internalActionGeneric, queryGeneric } from "convex/server";`;
  const outcome = await bundleProject({ "convex/a.ts": `"use node";\n${imports}\n${code}` });
  if (outcome.kind === "failed") throw new Error(outcome.message);
  if (outcome.bundle.node === null) throw new Error("The bundle has no Node modules.");
  return outcome.bundle.node;
}
