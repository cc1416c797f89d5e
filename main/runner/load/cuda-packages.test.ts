import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { getModuleVersion } from "node-llama-cpp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cudaEnvironment } from "./cuda-packages.ts";

const system = process.platform === "win32" ? "win" : "linux";
const name = `${system}-x64-cuda`;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-cuda-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** A package as npm puts it there, with a library that no driver is asked for: it is none. */
async function install(version: string): Promise<void> {
  const home = join(folder, "node_modules/@node-llama-cpp", name);
  const bins = join(home, "bins", name);
  await mkdir(bins, { recursive: true });
  const answer = JSON.stringify({ binsDir: join(home, "bins"), packageVersion: version });
  await writeFile(join(home, "package.json"), JSON.stringify({ type: "module", main: "index.js", version }));
  await writeFile(join(home, "index.js"), `export const getBinsDir = () => (${answer});\n`);
  await writeFile(join(bins, "llama-addon.node"), "no library");
  await writeFile(join(bins, "_nlcBuildMetadata.json"), JSON.stringify({ buildOptions: { gpu: "cuda" } }));
}

async function whyNoCuda(): Promise<string> {
  const script = fileURLToPath(new URL("./cuda-packages.fixture.ts", import.meta.url));
  const env = { ...process.env, GLEANER_CUDA: folder };
  return (await promisify(execFile)(process.execPath, [script], { env })).stdout;
}

/** There is CUDA for these alone. */
const forCuda = process.arch === "x64" && process.platform !== "darwin";

describe.runIf(forCuda)("CUDA's library in a folder of its own", () => {
  it("is missing by its name where it was not put there", async () => {
    expect(await whyNoCuda()).toBe(`its library (@node-llama-cpp/${name}) is not installed`);
  }, 60_000);

  it("is refused with both versions where it is of another one", async () => {
    await install("1.2.3");
    expect(await whyNoCuda()).toBe(
      `its library (@node-llama-cpp/${name}) is of version 1.2.3, not ${await getModuleVersion()}`,
    );
  }, 60_000);

  it("is found and tried, and what is missing then is not the library", async () => {
    await install(await getModuleVersion());
    expect(await whyNoCuda()).toMatch(/^its library is there, and did not start/);
  }, 60_000);
});

it("is beside the device's key, or where the environment says", () => {
  expect(cudaEnvironment("/data", {})).toEqual({ GLEANER_CUDA: join("/data", "cuda") });
  expect(cudaEnvironment("/data", { GLEANER_CUDA: "/opt/cuda" })).toEqual({ GLEANER_CUDA: "/opt/cuda" });
});
