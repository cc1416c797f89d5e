import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openRun } from "./open-run.ts";
import { claimRun, type RunSettings, stateFolder } from "./run-state.ts";

const url = "http://127.0.0.1:3211/v1";

let folder: string;
let output: string;
let settings: RunSettings;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-run-"));
  output = join(folder, "answers.csv");
  const input = join(folder, "table.csv");
  await writeFile(input, "text\none\ntwo\n");
  settings = {
    input,
    inputSha256: "",
    format: "csv",
    template: "Repeat: {{text}}",
    system: null,
    model: "m",
    maxTokens: null,
    temperature: null,
    requires: "",
    within: "24h",
    column: "answer",
    first: 0,
    outputFormat: "csv",
  };
});
afterEach(async () => await rm(folder, { recursive: true }));

it("claims the output of a new run before it reads the table", async () => {
  const opened = openRun(url, output, settings);
  await expect(claimRun(output)).rejects.toThrow("already uses this folder");
  expect(await opened).toMatchObject({ rows: 2, settings: { model: "m" } });
});

it("leaves no folder behind for a run that cannot begin", async () => {
  await expect(openRun(url, output, { ...settings, column: "text" })).rejects.toThrow("--column NAME");
  expect(existsSync(stateFolder(output))).toBe(false);
  await expect(openRun(url, output, null)).rejects.toThrow("no run to continue");
  expect(existsSync(stateFolder(output))).toBe(false);
});

it("refuses to write over a file, and leaves it as it is", async () => {
  await writeFile(output, "mine");
  await expect(openRun(url, output, settings)).rejects.toThrow("exists already");
  expect(existsSync(output)).toBe(true);
  expect(existsSync(stateFolder(output))).toBe(false);
});
