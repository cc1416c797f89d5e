import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { LaunchError } from "../core/launch-error.ts";
import { paths } from "../core/paths.ts";
import { readDemoModel } from "./demo-model.ts";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-model-"));
  const manifest = await readFile(join(paths.demoModel, "manifest.json"), "utf8");
  file = (JSON.parse(manifest) as { file: string }).file;
  await writeFile(join(folder, "manifest.json"), manifest);
  await copyFile(join(paths.demoModel, file), join(folder, file));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function refusal(): Promise<LaunchError> {
  const error: unknown = await readDemoModel(folder).catch((thrown: unknown) => thrown);
  if (!(error instanceof LaunchError)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

it("accepts the model that matches its manifest", async () => {
  expect((await readDemoModel(folder)).file).toBe(file);
});

it("says that the file is missing, and how to get it back", async () => {
  await rm(join(folder, file));
  expect((await refusal()).message).toContain("missing");
  expect((await refusal()).remedy).toContain("git checkout");
});

it("says that the file does not match", async () => {
  await writeFile(join(folder, file), "GGUF, but not this one");
  expect((await refusal()).message).toContain("SHA-256 differs");
});

it.each(["", '{"id": "gleaner', '{"id": "gleaner-demo"}'])(
  "says that the manifest is damaged: %j",
  async (text) => {
    await writeFile(join(folder, "manifest.json"), text);
    expect((await refusal()).message).toContain("damaged");
  },
);

it("says that the manifest is missing", async () => {
  await rm(join(folder, "manifest.json"));
  expect((await refusal()).message).toContain("missing");
});
