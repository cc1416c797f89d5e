import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { archOf, type PackageFacts, packageFacts, type PackageOptions, packageTree } from "./package-tree.ts";

const run = promisify(execFile);
const scripts = join(import.meta.dirname, "../../../resources/linux");

/** The packages with the libraries that the program and llama.cpp are linked with. A test compares them with the program. */
export const debDepends: readonly string[] = [
  "libc6 (>= 2.34)",
  "libstdc++6 (>= 12)",
  "libgcc-s1",
  // Since Debian 13 and Ubuntu 24.04 another package has the former name, too.
  "libasound2t64 | libasound2",
  "libatk-bridge2.0-0",
  "libatk1.0-0",
  "libatspi2.0-0",
  "libcairo2",
  "libcups2",
  "libdbus-1-3",
  "libdrm2",
  "libexpat1",
  "libgbm1",
  "libglib2.0-0",
  "libgtk-3-0",
  "libnspr4",
  "libnss3",
  "libpango-1.0-0",
  "libudev1",
  "libx11-6",
  "libxcb1",
  "libxcomposite1",
  "libxdamage1",
  "libxext6",
  "libxfixes3",
  "libxkbcommon0",
  "libxrandr2",
  "xdg-utils",
];

/** Without these it works, but without notifications, the keychain or the GPU. */
const recommends = ["libnotify4", "libsecret-1-0", "libvulkan1"];

/** GNOME shows icons of the tray only with it. */
const suggests = ["gnome-shell-extension-appindicator"];

/** Makes a package for Debian and Ubuntu of a packed program, with dpkg-deb. Returns its path. */
export async function makeDeb(
  program: string,
  output: string,
  options: PackageOptions = {},
): Promise<string> {
  const facts = await packageFacts(options.version);
  const arch = { x64: "amd64", arm64: "arm64" }[archOf(program)];
  const folder = await mkdtemp(join(tmpdir(), "gleaner-deb-"));
  try {
    const tree = join(folder, "tree");
    await packageTree(program, tree, "deb");
    await mkdir(join(tree, "DEBIAN"));
    await writeFile(join(tree, "DEBIAN/control"), control(facts, arch, await kilobytesOf(tree)));
    await writeFile(join(tree, "DEBIAN/md5sums"), await sumsOf(tree));
    for (const script of ["postinst", "prerm"]) {
      await copyFile(join(scripts, script), join(tree, "DEBIAN", script));
      await chmod(join(tree, "DEBIAN", script), 0o755);
    }
    await chmod(tree, 0o755);
    await mkdir(output, { recursive: true });
    const path = resolve(output, `${facts.name}_${facts.version}_${arch}.deb`);
    const compression = options.uncompressed === true ? "-Znone" : "-Zxz";
    await run("dpkg-deb", [compression, "--root-owner-group", "--build", tree, path]);
    return path;
  } finally {
    await rm(folder, { recursive: true });
  }
}

function control(facts: PackageFacts, arch: string, kilobytes: number): string {
  return [
    `Package: ${facts.name}`,
    `Version: ${facts.version}`,
    `Architecture: ${arch}`,
    "Maintainer: the Gleaner authors",
    `Installed-Size: ${String(kilobytes)}`,
    `Depends: ${debDepends.join(", ")}`,
    `Recommends: ${recommends.join(", ")}`,
    `Suggests: ${suggests.join(", ")}`,
    "Section: utils",
    "Priority: optional",
    `Description: ${facts.summary}`,
    ` ${facts.description}`,
    "",
  ].join("\n");
}

async function kilobytesOf(tree: string): Promise<number> {
  const { stdout } = await run("du", ["-sk", "--apparent-size", tree]);
  return Number.parseInt(stdout, 10);
}

/** With these, `dpkg --verify` finds damaged files. */
async function sumsOf(tree: string): Promise<string> {
  const entries = await readdir(tree, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(tree.length + 1))
    .filter((path) => !path.startsWith("DEBIAN/"))
    .sort();
  const { stdout } = await run("md5sum", files, { cwd: tree, maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}
