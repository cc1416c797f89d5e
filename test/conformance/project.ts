import { type ChildProcess, execFile, spawn } from "node:child_process";
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

export type Ran = { readonly code: number; readonly stdout: string; readonly stderr: string };

type Target = { readonly url: string; readonly adminKey: string };

function environment({ folder }: Project, { url, adminKey }: Target): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    HOME: folder,
    // A self-hosted deployment may have a certificate of a private authority.
    NODE_EXTRA_CA_CERTS: process.env["NODE_EXTRA_CA_CERTS"],
    ...credentials(url, adminKey),
  };
}

/** Runs `npx convex …` in a project, on a deployment. It is ended after 30 seconds. */
export function runConvex(project: Project, target: Target, args: readonly string[]): Promise<Ran> {
  const options = { cwd: project.folder, env: environment(project, target), timeout: 30_000 };
  return new Promise((resolve) => {
    execFile(process.execPath, [convexCli, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}

/** Starts `npx convex …`, which goes on until it is stopped. */
export function startConvex(
  project: Project,
  target: Target,
  args: readonly string[],
): { readonly process: ChildProcess; readonly output: () => string } {
  const child = spawn(process.execPath, [convexCli, ...args], {
    cwd: project.folder,
    env: environment(project, target),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  return { process: child, output: () => output };
}
