import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { getModuleVersion } from "node-llama-cpp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const system = process.platform === "win32" ? "win" : "linux";
const name = `${system}-x64-cuda`;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-cuda-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Installs a package as npm does. Its library is not a real one. */
async function install(version: string): Promise<void> {
  const home = join(folder, "node_modules/@node-llama-cpp", name);
  const bins = join(home, "bins", name);
  await mkdir(bins, { recursive: true });
  const folders = JSON.stringify({ binsDir: join(home, "bins"), packageVersion: version });
  await writeFile(join(home, "package.json"), JSON.stringify({ type: "module", main: "index.js", version }));
  await writeFile(join(home, "index.js"), `export const getBinsDir = () => (${folders});\n`);
  await writeFile(join(bins, "llama-addon.node"), "no library");
  await writeFile(join(bins, "_nlcBuildMetadata.json"), JSON.stringify({ buildOptions: { gpu: "cuda" } }));
}

async function whyNoCuda(): Promise<string> {
  const script = fileURLToPath(new URL("./cuda-packages.fixture.ts", import.meta.url));
  const env = { ...process.env, GLEANER_CUDA: folder };
  return (await promisify(execFile)(process.execPath, [script], { env })).stdout;
}

/** CUDA exists only for these. */
const forCuda = process.arch === "x64" && process.platform !== "darwin";

describe.runIf(forCuda)("CUDA's library in its own folder", () => {
  it("reports the name of a missing library", async () => {
    expect(await whyNoCuda()).toBe(`its library (@node-llama-cpp/${name}) is not installed`);
  });

  it("refuses a library of another version, and names both versions", async () => {
    await install("1.2.3");
    expect(await whyNoCuda()).toBe(
      `its library (@node-llama-cpp/${name}) is of version 1.2.3, not ${await getModuleVersion()}`,
    );
  });

  it("finds a library and tries it", async () => {
    await install(await getModuleVersion());
    expect(await whyNoCuda()).toMatch(/^its library did not start/);
  });
});
