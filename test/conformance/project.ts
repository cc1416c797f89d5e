import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testApp } from "../../packages/embedded/test-app.fixture.ts";

const modules = join(import.meta.dirname, "../../node_modules");

/** The CLI of the pinned `convex` package. Run it with Node in a project's folder. */
export const convexCli = join(modules, "convex/bin/main.js");

export type Project = { readonly folder: string; readonly remove: () => Promise<void> };

/** Makes a project for the CLI: package.json, node_modules and the test app's functions. */
export async function makeProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-project-"));
  const manifest = { name: "conformance", type: "module", dependencies: { convex: "*" } };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await symlink(modules, join(folder, "node_modules"), "junction");
  await cp(testApp, join(folder, "convex"), { recursive: true });
  return { folder, remove: () => rm(folder, { recursive: true }) };
}

/** The CLI's variables for a deployment. A key of Convex Cloud names it: "dev:happy-animal-123|…". */
export function credentials(url: string, adminKey: string): Record<string, string> {
  return /^(dev|prod|preview|project):/.test(adminKey)
    ? { CONVEX_DEPLOY_KEY: adminKey }
    : { CONVEX_SELF_HOSTED_URL: url, CONVEX_SELF_HOSTED_ADMIN_KEY: adminKey };
}
