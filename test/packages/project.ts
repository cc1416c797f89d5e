import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

export const root = resolve(import.meta.dirname, "../..");

/** Copies a fixture to a new folder outside of the repository, and installs a packed workspace there. */
export async function makeProject(fixture: string, workspace: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gleaner-foreign-"));
  const project = join(folder, "project");
  await cp(join(import.meta.dirname, "fixtures", fixture), project, { recursive: true });
  await run(root, "npm", "pack", "--workspace", workspace, "--pack-destination", folder);
  const [tarball = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  await run(project, "npm", "install", "--no-audit", "--no-fund", join(folder, tarball));
  return project;
}

/** Runs a command in a folder. @throws with all output if it fails. */
export async function run(cwd: string, command: string, ...args: readonly string[]): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, { cwd, maxBuffer: 16 * 1024 * 1024 })).stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}
