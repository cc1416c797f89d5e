import { appendFile, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { FactRecord } from "../../app/policy/replay/record.ts";
import { silentLog } from "../log.ts";
import { FactFiles, factFolder, readFacts } from "./fact-files.ts";

const dayMs = 24 * 3_600_000;
const first = Date.UTC(2026, 9, 1, 12);
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-facts-"));
});
afterEach(() => rm(folder, { recursive: true }));

const recordAt = (at: number): FactRecord => ({ at, full: true, set: { power: ["ac"] } });

async function all(): Promise<readonly FactRecord[]> {
  const records: FactRecord[] = [];
  for await (const some of readFacts(folder)) records.push(...some);
  return records;
}

describe("a device's record of its facts", () => {
  it("keeps seven days, in files that only their owner can read", async () => {
    const files = new FactFiles(folder, silentLog);
    const records = Array.from({ length: 20 }, (_, day) => recordAt(first + day * dayMs));
    for (const record of records) files.append(record);
    expect(await all()).toEqual(records.slice(-8));
    const names = await readdir(join(folder, factFolder));
    expect(names).toHaveLength(8);
    expect((await stat(join(folder, factFolder, names[0]!))).mode & 0o777).toBe(0o600);
  });

  it("continues after a crash in the middle of a line", async () => {
    new FactFiles(folder, silentLog).append(recordAt(first));
    await appendFile(join(folder, factFolder, "2026-10-01.jsonl"), '{"at":17');
    new FactFiles(folder, silentLog).append(recordAt(first + 1));
    expect(await all()).toEqual([recordAt(first), recordAt(first + 1)]);
  });

  it("is bounded on each day", async () => {
    const files = new FactFiles(folder, silentLog);
    const set = { networks: [Array.from({ length: 100 }, () => "n".repeat(200))] as [string[]] };
    for (let at = 0; at < 100; at++) files.append({ at: first + at, set });
    expect((await stat(join(folder, factFolder, "2026-10-01.jsonl"))).size).toBeLessThan(1.1 * 2 ** 20);
    files.append(recordAt(first + dayMs));
    expect((await all()).at(-1)).toEqual(recordAt(first + dayMs));
  });

  it("is empty before anything is recorded, and survives a folder that cannot be written", async () => {
    expect(await all()).toEqual([]);
    await appendFile(join(folder, factFolder), "in the way");
    const said: string[] = [];
    const files = new FactFiles(folder, (_, event) => said.push(event));
    files.append(recordAt(first));
    files.append(recordAt(first + 1));
    expect(said).toEqual(["facts.not-written"]);
  });
});
