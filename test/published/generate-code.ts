import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { appsFolder, convexCommand } from "./published-app.ts";

/** Lets the `convex` command write `_generated` into each app, as its developers do. It needs no backend for that. */
export async function setup(): Promise<void> {
  for (const app of await readdir(appsFolder)) await generate(join(appsFolder, app));
}

async function generate(functionsFolder: string): Promise<void> {
  const project = await mkdtemp(join(tmpdir(), "published-"));
  await writeFile(join(project, "package.json"), JSON.stringify({ dependencies: { convex: "*" } }));
  await symlink(functionsFolder, join(project, "convex"), "junction");
  const args = [convexCommand, "codegen", "--system-udfs", "--typecheck", "disable"];
  await promisify(execFile)(process.execPath, args, { cwd: project });
  await rm(project, { recursive: true });
}
