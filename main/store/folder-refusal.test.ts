import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startSentence } from "../../app/contract/sentences/start-sentences.ts";
import { refusalOfFolder } from "./folder-refusal.ts";
import { StartRefusal } from "./start-refusal.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-folder-"));
});
afterEach(() => rm(folder, { recursive: true }));

const errorOf = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => null,
    (error: unknown) => error,
  );

it("says which file in the folder cannot be used, and what to do", async () => {
  const path = join(folder, "taken");
  await writeFile(path, "");
  const error = await errorOf(mkdir(join(path, "models")));
  const refusal = refusalOfFolder(folder, error);
  expect(refusal).toBeInstanceOf(StartRefusal);
  expect(refusal).toMatchObject({ cause: error });
  expect(String(refusal)).toContain(`${join(path, "models")} cannot be used (ENOTDIR`);
});

it("returns other errors unchanged: of another folder, of no file, or a refusal", async () => {
  const elsewhere = await errorOf(readFile(join(tmpdir(), "no such folder of Gleaner", "device.json")));
  expect(elsewhere).toMatchObject({ code: "ENOENT" });
  for (const error of [
    elsewhere,
    new TypeError("a bug"),
    new StartRefusal(startSentence("managed-missing", "a")),
    "thrown",
  ]) {
    expect(refusalOfFolder(folder, error)).toBe(error);
  }
});
