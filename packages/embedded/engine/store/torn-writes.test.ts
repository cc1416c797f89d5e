import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { all, collect, insertOne, read } from "../engine.fixture.ts";
import { openEngine } from "../engine.ts";
import { commitEnds } from "./wal-file.fixture.ts";

const script = new URL("./torn-writes.child.ts", import.meta.url).pathname;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "engine-torn-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Lets a process commit until it has acknowledged `atLeast` commits, then kills it. Returns the acknowledged count.
 */
async function killedWriter(path: string, bytes: number, atLeast: number): Promise<number> {
  const child = spawn(process.execPath, [script, path, String(bytes)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const output = text(child.stdout);
  let lines = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    lines += chunk.toString().split("\n").length - 1;
    if (lines >= atLeast) child.kill("SIGKILL");
  });
  // The kill may have cut the last line.
  return (await output).split("\n").slice(0, -1).length;
}

/** Opens a copy with a changed WAL and returns the number of complete pairs, checking for gaps. */
async function pairsAfter(path: string, change: (wal: string) => void): Promise<number> {
  const copy = join(folder, `copy-${randomBytes(4).toString("hex")}`);
  copyFileSync(path, copy);
  copyFileSync(`${path}-wal`, `${copy}-wal`);
  change(`${copy}-wal`);
  const engine = openEngine({ path: copy });
  const documents = read(engine, (transaction) => collect(transaction, all("pairs")));
  const sides = new Map<number, string[]>();
  for (const { n, side } of documents)
    sides.set(n as number, [...(sides.get(n as number) ?? []), side as string]);
  const numbers = [...sides.keys()].sort((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, index) => index));
  for (const pair of sides.values()) expect(pair.sort()).toEqual(["left", "right"]);
  // The recovered database accepts writes.
  await insertOne(engine, "pairs", { n: -1 });
  await engine.close();
  return numbers.length;
}

/** `count` offsets from `from` to `to`, inclusive. */
function places(from: number, to: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => Math.round(from + ((to - from) * index) / (count - 1)));
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  const content = readFileSync(file);
  bytes.copy(content, Math.min(at, content.length - bytes.length));
  writeFileSync(file, content);
}

describe.each([
  ["before the first checkpoint", 100, 60],
  ["after many checkpoints", 4_000, 900],
])("torn writes %s", (name, bytes, atLeast) => {
  let path: string;
  let acknowledged: number;
  let lastBegin: number;
  let lastEnd: number;

  beforeAll(async () => {
    path = join(folder, name.replaceAll(" ", "-"));
    acknowledged = await killedWriter(path, bytes, atLeast);
    const ends = commitEnds(`${path}-wal`);
    lastEnd = ends.at(-1) ?? 0;
    lastBegin = ends.at(-2) ?? 32;
    expect(acknowledged).toBeGreaterThanOrEqual(atLeast);
    expect(ends.length).toBeGreaterThan(2);
  });

  test("recovery loses nothing acknowledged when nothing was torn", async () => {
    expect(await pairsAfter(path, () => undefined)).toBeGreaterThanOrEqual(acknowledged);
  });

  test("a torn write is skipped wherever it is cut off", async () => {
    for (const at of places(lastBegin, lastEnd - 1, 12)) {
      expect(await pairsAfter(path, (wal) => truncateSync(wal, at))).toBeGreaterThanOrEqual(acknowledged - 1);
    }
  });

  test("a torn write is skipped when any byte is wrong", async () => {
    for (const at of places(lastBegin, lastEnd - 8, 12)) {
      const pairs = await pairsAfter(path, (wal) => overwrite(wal, at, randomBytes(8)));
      expect(pairs).toBeGreaterThanOrEqual(acknowledged - 1);
    }
  });

  test("garbage after the last complete commit does no harm", async () => {
    for (const length of [1, 24, 4_120, 50_000]) {
      const pairs = await pairsAfter(path, (wal) => {
        const whole = readFileSync(wal).subarray(0, lastEnd);
        writeFileSync(wal, Buffer.concat([whole, randomBytes(length)]));
      });
      expect(pairs).toBeGreaterThanOrEqual(acknowledged);
    }
  });
});

test("a WAL cut before its last sync, which no crash causes, still leaves complete commits without a gap", async () => {
  const path = join(folder, "deep");
  const acknowledged = await killedWriter(path, 100, 60);
  const { size } = statSync(`${path}-wal`);
  for (const at of places(32, size, 25)) {
    const ends = commitEnds(`${path}-wal`).filter((end) => end <= at);
    const pairs = await pairsAfter(path, (wal) => truncateSync(wal, at));
    expect(pairs).toBeLessThanOrEqual(Math.max(acknowledged + 1, ends.length));
  }
});
