import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Bundle } from "../isolate/worlds.ts";
import { bundleFunctions } from "./bundle.ts";

const packages = join(import.meta.dirname, "../../../../node_modules");

/** The sources of a functions folder, by path. */
export type Sources = { readonly [path: string]: string };

/** Makes a project with functions, which may import the convex package. Returns the functions folder. */
export async function functionsFolder(sources: Sources): Promise<string> {
  const project = await mkdtemp(join(tmpdir(), "functions-"));
  onTestFinished(() => rm(project, { recursive: true }));
  await symlink(packages, join(project, "node_modules"), "junction");
  const manifest = { name: "project", type: "module", dependencies: { convex: "*" } };
  await writeFile(join(project, "package.json"), JSON.stringify(manifest));
  const folder = join(project, "convex");
  await writeSources(folder, sources);
  return folder;
}

export async function writeSources(folder: string, sources: Sources): Promise<void> {
  for (const [path, content] of Object.entries(sources)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

export async function bundleSources(sources: Sources): Promise<Bundle> {
  const outcome = await bundleFunctions(await functionsFolder(sources));
  if (outcome.kind === "failed") throw new Error(outcome.message);
  return outcome.bundle;
}
