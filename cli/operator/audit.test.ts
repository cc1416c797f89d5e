import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type Seal, sealRows, type TrailRow } from "../../app/audit/chain.ts";
import { jsonLines } from "../../app/audit/jsonl.ts";

const folder = mkdtempSync(join(tmpdir(), "gleaner-audit-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const gleaner = join(import.meta.dirname, "../gleaner.ts");
const sha256 = (text: string) => Promise.resolve(createHash("sha256").update(text).digest("hex"));

function row(number: number): TrailRow {
  const act = { actor: "setup", action: "device.retired", detail: "state: active → retired" };
  return { id: `row-${String(number)}`, createdAt: number, at: number, subject: "d1", ...act };
}

/** An exported trail of three entries and two seals, as text. */
async function exported(): Promise<string> {
  const rows = [row(1), row(2), row(3)];
  const seals: Seal[] = [];
  for (const sealed of [rows.slice(0, 2), rows.slice(2)])
    seals.push(await sealRows("org", seals.at(-1) ?? null, sealed, sha256));
  return jsonLines(rows, seals);
}

function verify(text: string): Promise<{ readonly code: number; readonly output: string }> {
  const file = join(folder, "trail.jsonl");
  writeFileSync(file, text);
  return new Promise((resolve) => {
    execFile(process.execPath, [gleaner, "audit", "verify", file], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

it("verifies an exported trail without a deployment", async () => {
  const { code, output } = await verify(await exported());
  expect(output).toContain("2 seals fit 3 entries. No seal covers 0 others.");
  expect(code).toBe(0);
});

it.each([
  [
    "a changed entry",
    (text: string) => text.replace('"at":3', '"at":4'),
    "Seal 2 does not fit. A row was changed.",
  ],
  [
    "a removed entry",
    (text: string) => text.split("\n").slice(1).join("\n"),
    "Seal 1 does not fit. 1 of its rows is missing.",
  ],
  [
    "a trail without seals",
    (text: string) => text.split("\n").slice(0, 3).join("\n"),
    "This file has no seals, so nothing vouches for it.",
  ],
  ["a file of something else", () => "hello\n", "Line 1 is no entry and no seal of an audit trail."],
])("fails for %s, and says where", async (_, change, words) => {
  const { code, output } = await verify(change(await exported()));
  expect(output).toContain(words);
  expect(code).not.toBe(0);
});
