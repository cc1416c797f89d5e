import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../log.ts";
import type { JournalEntry } from "./entry.ts";
import { Journal, journalFiles } from "./journal.ts";
import { readJournal } from "./read-journal.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-journal-"));
});
afterEach(() => rm(folder, { recursive: true }));

const standby = (at: number): JournalEntry => ({
  kind: "activity",
  at,
  activity: "standby",
  reason: "in-use",
  facts: { idleSeconds: 3, power: null },
});

function write(entries: readonly JournalEntry[], maxBytes?: number): void {
  const journal = new Journal(folder, silentLog, maxBytes);
  for (const entry of entries) journal.record(entry);
  journal.close();
}

describe("the journal", () => {
  it("returns the entries of several runs from files that only their owner can read", async () => {
    const first: readonly JournalEntry[] = [
      { kind: "lifecycle", at: 1, event: "start", version: "0.1.0" },
      standby(2),
      { kind: "facts", at: 3, facts: { idleSeconds: 4.5, locked: true } },
      {
        kind: "jobs",
        at: 4,
        begun: 2,
        succeeded: 1,
        failed: 1,
        letGo: 0,
        promptTokens: 5,
        completionTokens: 7,
        codes: { runner_crashed: 1 },
      },
    ];
    const second: readonly JournalEntry[] = [{ kind: "model", at: 5, modelId: "m", state: "ready" }];
    write(first);
    write(second);
    expect(await readJournal(folder)).toEqual([...first, ...second]);
    expect((await stat(join(folder, journalFiles.current))).mode & 0o777).toBe(0o600);
  });

  it("is empty if there is no file", async () => {
    expect(await readJournal(join(folder, "none"))).toEqual([]);
  });

  it("loses only the line that a crash cut off", async () => {
    write([standby(1), standby(2)]);
    await appendFile(join(folder, journalFiles.current), '{"kind":"activity","at":3,"act');
    write([standby(4)]);
    expect((await readJournal(folder)).map(({ at }) => at)).toEqual([1, 2, 4]);
  });

  it("skips lines that are no entries", async () => {
    const strange = [
      '{"kind":"prophecy","at":1}',
      "null",
      "\u0000\u0000",
      '{"kind":"facts","at":-1,"facts":{}}',
    ];
    await writeFile(join(folder, journalFiles.current), `${strange.join("\n")}\n`);
    write([standby(9)]);
    expect(await readJournal(folder)).toEqual([standby(9)]);
  });

  it("reads standby from entries that call it holding", async () => {
    const older = JSON.stringify({ ...standby(1), activity: "holding" });
    await writeFile(join(folder, journalFiles.current), `${older}\n`);
    expect(await readJournal(folder)).toEqual([standby(1)]);
  });

  it("keeps the latest entries in two files of limited size", async () => {
    const maxBytes = 2_000;
    const entries = Array.from({ length: 200 }, (_, at) => standby(at));
    write(entries, maxBytes);
    const files = await readdir(folder);
    expect(files.sort()).toEqual([journalFiles.previous, journalFiles.current].sort());
    for (const file of files) expect((await stat(join(folder, file))).size).toBeLessThanOrEqual(maxBytes);
    const kept = await readJournal(folder);
    expect(kept).toEqual(entries.slice(-kept.length));
    expect(kept.length).toBeGreaterThan(maxBytes / JSON.stringify(standby(199)).length / 2);
  });

  it("returns each entry once if the files rotate while they are read", async () => {
    write([standby(1), standby(2)]);
    const text = await readFile(join(folder, journalFiles.current), "utf8");
    await writeFile(join(folder, journalFiles.previous), `${text}${JSON.stringify(standby(3))}\n`);
    expect((await readJournal(folder)).map(({ at }) => at)).toEqual([1, 2, 3]);
  });

  it("logs a failing disk once, and does not throw", async () => {
    const logged: string[] = [];
    await writeFile(join(folder, "file"), "");
    const journal = new Journal(join(folder, "file", "below"), (_level, event) => logged.push(event));
    journal.record(standby(1));
    journal.record(standby(2));
    expect(logged).toEqual(["journal.not-written"]);
  });
});
