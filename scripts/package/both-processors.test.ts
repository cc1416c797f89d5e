import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { beforePack } from "./both-processors.ts";

type Filter = (file: string, stat: { isDirectory: () => boolean }) => boolean;
type Builder = {
  readonly getNodeModuleFileMatcher: (
    from: string,
    to: string,
    expand: (pattern: string) => string,
    system: unknown,
    packager: unknown,
  ) => { createFilter: () => Filter };
};

const root = join(import.meta.dirname, "../..");
// These are packages of electron-builder, and not of this project.
const ofBuilder = createRequire(createRequire(import.meta.url).resolve("electron-builder/package.json"));
const { getNodeModuleFileMatcher } = ofBuilder("app-builder-lib/out/fileMatcher.js") as Builder;
const { load } = ofBuilder("js-yaml") as {
  load: (text: string) => Record<string, { x64ArchFiles?: string; files?: readonly string[] }>;
};
const ofMerge = createRequire(
  createRequire(ofBuilder.resolve("app-builder-lib/package.json")).resolve("@electron/universal"),
);
const { minimatch } = ofMerge("minimatch") as {
  minimatch: (path: string, pattern: string, options: { matchBase: boolean }) => boolean;
};

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-package-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** The packages of libraries for one system and processor. */
const native = /^node_modules\/(@node-llama-cpp\/|@koromix\/|@reflink\/reflink-)/;

/** All of npm's packages with native libraries, as package-lock.json has them. */
async function nativePackages(): Promise<readonly string[]> {
  const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as {
    packages: Record<string, unknown>;
  };
  return Object.keys(packages).filter((path) => native.test(path));
}

const configuration = async () => load(await readFile(join(root, "electron-builder.yml"), "utf8"));

/** Those of them that electron-builder packs. */
async function packed(system: "win" | "mac" | "linux", arch: string): Promise<readonly string[]> {
  const config = await configuration();
  const expand = (pattern: string): string => pattern.replaceAll("${arch}", arch).replaceAll("${os}", system);
  const packager = { config, debugLogger: { isEnabled: false } };
  const accepts = getNodeModuleFileMatcher(root, folder, expand, config[system], packager).createFilter();
  const stat = { isDirectory: () => false };
  return (await nativePackages())
    .filter((path) => accepts(join(root, path, "package.json"), stat))
    .map((path) => path.slice("node_modules/".length))
    .sort();
}

const both = [
  "@koromix/koffi-darwin-arm64",
  "@koromix/koffi-darwin-x64",
  "@node-llama-cpp/mac-arm64-metal",
  "@node-llama-cpp/mac-x64",
];

it.each(["x64", "arm64"])("a program for macOS on %s has the libraries of both processors", async (arch) => {
  expect(await packed("mac", arch)).toEqual(both);
});

it.each([
  ["win", "x64", ["@koromix/koffi-win32-x64", "@node-llama-cpp/win-x64", "@node-llama-cpp/win-x64-vulkan"]],
  [
    "linux",
    "x64",
    ["@koromix/koffi-linux-x64", "@node-llama-cpp/linux-x64", "@node-llama-cpp/linux-x64-vulkan"],
  ],
  ["linux", "arm64", ["@koromix/koffi-linux-arm64", "@node-llama-cpp/linux-arm64"]],
] as const)("a program for %s on %s has only its own libraries", async (system, arch, expected) => {
  expect(await packed(system, arch)).toEqual(expected);
});

// electron-builder packs the whole repository for a list that only leaves files out.
it.each(["win", "mac", "linux"])("the files of a program for %s are named", async (system) => {
  const { files = [] } = (await configuration())[system] ?? {};
  expect(files.filter((pattern) => !pattern.startsWith("!"))).toEqual(["package.json"]);
});

it("a universal program takes the libraries of both processors as they are", async () => {
  const { x64ArchFiles = "" } = (await configuration())["mac"] ?? {};
  const unpacked = "Contents/Resources/app.asar.unpacked/node_modules";
  const isTaken = (path: string): boolean => minimatch(path, x64ArchFiles, { matchBase: true });
  for (const name of both) expect(isTaken(`${unpacked}/${name}/bins/lib.dylib`), name).toBe(true);
  expect(isTaken("Contents/MacOS/Gleaner")).toBe(false);
});

it("no program for macOS is packed without the libraries of both processors, and the error names them", async () => {
  const owners = {
    "node-llama-cpp": { "@node-llama-cpp/mac-arm64-metal": "3.0.0", "@node-llama-cpp/mac-x64": "3.0.0" },
    koffi: { "@koromix/koffi-darwin-arm64": "2.0.0", "@koromix/koffi-darwin-x64": "2.0.0" },
  };
  const write = async (name: string, content: object): Promise<void> => {
    const at = join(folder, "node_modules", name);
    await mkdir(at, { recursive: true });
    await writeFile(join(at, "package.json"), JSON.stringify(content));
  };
  for (const [name, optionalDependencies] of Object.entries(owners))
    await write(name, { optionalDependencies });
  for (const name of ["@node-llama-cpp/mac-arm64-metal", "@koromix/koffi-darwin-arm64"])
    await write(name, {});
  const pack = async (electronPlatformName: string) =>
    await beforePack({ electronPlatformName, packager: { projectDir: folder } });
  await expect(pack("darwin")).rejects.toThrow(
    /npm install --no-save --force @node-llama-cpp\/mac-x64@3\.0\.0 @koromix\/koffi-darwin-x64@2\.0\.0$/,
  );
  await pack("linux");
  for (const name of ["@node-llama-cpp/mac-x64", "@koromix/koffi-darwin-x64"]) await write(name, {});
  await pack("darwin");
});
