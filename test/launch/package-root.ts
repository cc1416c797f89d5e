import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { onPath } from "../../scripts/on-path.ts";

const run = promisify(execFile);

/** A folder that a package manager takes for the computer's root, so that a test installs nothing on the computer itself. */
export type PackageRoot = {
  readonly folder: string;
  readonly install: (file: string) => Promise<void>;
  /** Like `apt purge` and `dnf remove`. */
  readonly remove: () => Promise<void>;
  /** A command of the installed package, which finds it at its own place, /opt. */
  readonly command: (name: string) => readonly [string, ...string[]];
};

const isRoot = process.getuid?.() === 0;

// Only root may install. Others are root in a namespace of their own.
const asRoot = isRoot ? [] : ["unshare", "--user", "--map-root-user", "--"];

async function runAsRoot(...command: readonly string[]): Promise<void> {
  const [program = "", ...args] = [...asRoot, ...command];
  await run(program, args, { maxBuffer: 16 * 1024 * 1024 });
}

/** Why this computer cannot make and install packages of a kind, with the command that helps. Null: it can. */
export function lackingForPackages(kind: "deb" | "rpm"): string | null {
  if (process.platform !== "linux") return "these packages are for Linux";
  const tools = { deb: ["dpkg-deb", "dpkg", "unshare"], rpm: ["rpmbuild", "rpm", "unshare"] }[kind];
  const lacking = tools.filter((tool) => !onPath(tool));
  return lacking.length === 0
    ? null
    : `there is no ${lacking.join(", ")} here (apt-get install dpkg rpm util-linux)`;
}

export async function debRoot(folder: string): Promise<PackageRoot> {
  const state = join(folder, "var/lib/dpkg");
  for (const name of ["info", "updates"]) await mkdir(join(state, name), { recursive: true });
  await writeFile(join(state, "status"), "");
  const dpkg = (...args: readonly string[]): Promise<void> =>
    // The root has none of the packages that this one depends on, and no shell for its scripts.
    runAsRoot("dpkg", `--root=${folder}`, "--force-depends", "--force-script-chrootless", ...args);
  return {
    folder,
    install: (file) => dpkg("--install", file),
    remove: () => dpkg("--purge", "gleaner"),
    command: (name) => commandIn(folder, name),
  };
}

export async function rpmRoot(folder: string): Promise<PackageRoot> {
  await mkdir(folder, { recursive: true });
  const rpm = (...args: readonly string[]): Promise<void> => runAsRoot("rpm", `--root=${folder}`, ...args);
  return {
    folder,
    install: (file) => rpm("--nodeps", "--upgrade", file),
    remove: () => rpm("--erase", "gleaner"),
    command: (name) => commandIn(folder, name),
  };
}

/** The shell and `unshare` do not stay: the command takes their place, and gets the signals. */
function commandIn(folder: string, name: string): readonly [string, ...string[]] {
  const own = isRoot ? [] : ["--user", "--map-current-user", "--keep-caps"];
  const script = 'mount --bind "$0" /opt && exec "$@"';
  return [
    "unshare",
    ...own,
    "--mount",
    "sh",
    "-c",
    script,
    join(folder, "opt"),
    join(folder, "usr/bin", name),
  ];
}
