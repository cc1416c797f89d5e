import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");
const resources = join(root, "resources");

/** The facts of the program that both kinds of packages state. */
export type PackageFacts = {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly summary: string;
  readonly description: string;
};

export type PackageOptions = {
  /** In place of the program's own version. */
  readonly version?: string;
  /** Larger, but made within seconds. */
  readonly uncompressed?: boolean;
};

const packageFile = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  description: z.string(),
});

/** @param version in place of the program's own */
export async function packageFacts(version?: string): Promise<PackageFacts> {
  const own = packageFile.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
  return {
    name: own.name,
    // In the order of versions of both kinds of packages, "1.0.0~beta" is before "1.0.0".
    version: (version ?? own.version).replaceAll("-", "~"),
    license: own.license,
    summary: "tray program that donates this computer's idle time",
    description: own.description,
  };
}

/**
 * Copies a packed program to where packages install it: the program, both commands in PATH, the entry of the desktop's menu with the
 * scheme of links, and the icons. A package manager removes and replaces all of that, so no script has to.
 */
export async function packageTree(program: string, tree: string, kind: "deb" | "rpm"): Promise<void> {
  const installed = join(tree, "opt/Gleaner");
  await mkdir(join(tree, "opt"), { recursive: true });
  await run("cp", ["-a", program, installed]);
  await copyFile(join(resources, "linux/apparmor-profile"), join(installed, "resources/apparmor-profile"));
  // The program asks this file who updates it (main/update/install-kind.ts).
  await writeFile(join(installed, "resources/package-type"), kind);

  const commands = join(tree, "usr/bin");
  await mkdir(commands, { recursive: true });
  await symlink("/opt/Gleaner/resources/bin/gleaner", join(commands, "gleaner"));
  await symlink("/opt/Gleaner/gleaner-desktop", join(commands, "gleaner-desktop"));

  // The windows' class and Electron's own name of the entry are `gleaner`, too. With another name, desktops would not know whose
  // window it is.
  const entry = "gleaner.desktop";
  await put(join(resources, "linux", entry), join(tree, "usr/share/applications", entry));
  for (const icon of await readdir(join(resources, "icons"))) {
    const [, size] = /^(\d+x\d+)\.png$/.exec(icon) ?? [];
    if (size === undefined) continue;
    const apps = join(tree, "usr/share/icons/hicolor", size, "apps");
    await put(join(resources, "icons", icon), join(apps, "gleaner.png"));
  }
  const license = { deb: "doc/gleaner/copyright", rpm: "licenses/gleaner/LICENSE" }[kind];
  await put(join(root, "LICENSE"), join(tree, "usr/share", license));

  // The umask of whoever builds the package must not decide who can run the program.
  await run("chmod", ["-R", "u=rwX,go=rX", tree]);
  // Some kernels forbid user namespaces. Chromium then builds its sandbox with this program, which needs the rights of root.
  await chmod(join(installed, "chrome-sandbox"), 0o4755);
}

async function put(from: string, to: string): Promise<void> {
  await mkdir(join(to, ".."), { recursive: true });
  await copyFile(from, to);
}

/** The processor of a folder that electron-builder packed, such as linux-arm64-unpacked. */
export function archOf(program: string): "x64" | "arm64" {
  return basename(program).includes("arm64") ? "arm64" : "x64";
}
