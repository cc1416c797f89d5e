import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FileCheck, parseLine } from "../../../app/batches/parse-line.ts";
import { listOf } from "./list-of.fixture.ts";
import { hashOfTable, linesOfPart, planRun, rowOfName, type RunRequests } from "./plan.ts";

let folder: string;
let run: RunRequests;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-plan-"));
  const input = join(folder, "table.csv");
  await writeFile(input, `id,text\n${Array.from({ length: 10 }, (_, row) => `${row},t${row}\n`).join("")}`);
  const asked = { template: "Q {{text}}", system: "S", model: "m", maxTokens: 9, temperature: 0 };
  run = { ...asked, input, format: "csv" };
});
afterAll(() => rm(folder, { recursive: true }));

const limits = { lines: 3, lineBytes: 1_000, uploadBytes: 1_000_000 };

async function withTable(name: string, content: string): Promise<RunRequests> {
  const input = join(folder, name);
  await writeFile(input, content);
  return { ...run, input, format: name.endsWith("csv") ? "csv" : "jsonl" };
}

it("divides the rows that were not tried into batches of a bounded number of lines", async () => {
  const plan = await planRun(run, 2, limits);
  expect(plan).toMatchObject({ rows: 10, columns: ["id", "text"] });
  expect(plan.parts.map(({ from, to }) => [from, to])).toEqual([
    [2, 5],
    [5, 8],
    [8, 10],
  ]);
});

it("divides by bytes, too, and knows the size of each file", async () => {
  const [whole] = (await planRun(run, 0, { ...limits, lines: 100 })).parts;
  const half = Math.ceil(whole!.bytes / 2);
  const { parts } = await planRun(run, 0, { ...limits, lines: 100, uploadBytes: half });
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) {
    const file = Buffer.concat(await listOf(linesOfPart(run, part)));
    expect(file.length).toBe(part.bytes);
    expect(file.length).toBeLessThanOrEqual(half);
  }
  expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(whole!.bytes);
});

it("has no batches if all rows were tried", async () => {
  expect((await planRun(run, 20)).parts).toEqual([]);
});

it("writes lines that the server's own check accepts, each named by its row", async () => {
  const [part] = (await planRun(run, 4)).parts;
  const text = Buffer.concat(await listOf(linesOfPart(run, part!))).toString();
  const lines = text.trimEnd().split("\n");
  const check = new FileCheck();
  for (const [index, text] of lines.entries()) {
    const each = { number: index + 1, text, end: 0 };
    check.add(each, parseLine(each, "/v1/chat/completions"));
  }
  expect([check.total, check.mistakes]).toEqual([6, []]);
  const first = JSON.parse(lines[0]!) as { custom_id: string; body: object };
  expect(rowOfName(first.custom_id)).toBe(4);
  expect(first.body).toEqual({
    model: "m",
    messages: [
      { role: "system", content: "S" },
      { role: "user", content: "Q t4" },
    ],
    max_completion_tokens: 9,
    temperature: 0,
  });
});

it("refuses a template whose column is missing, and says which there are", async () => {
  await expect(planRun({ ...run, template: "{{Text}}" }, 0)).rejects.toThrow(
    /names {{Text}}, but .* has the columns id, text\./,
  );
  const uneven = await withTable("uneven.jsonl", '{"text":"a"}\n{"txt":"b"}\n');
  await expect(planRun(uneven, 0)).rejects.toThrow(/Row 2 of .* has the columns txt\./);
});

it("refuses a template without columns, a table without rows, and a row that is too long", async () => {
  await expect(planRun({ ...run, template: "Hello" }, 0)).rejects.toThrow(/Write for example {{id}}/);
  await expect(planRun(await withTable("header.csv", "text\n"), 0)).rejects.toThrow("has no rows");
  await expect(planRun(run, 0, { ...limits, lineBytes: 50 })).rejects.toThrow(/Row 1 of .* more than/);
});

it("refuses a file that is missing or empty", async () => {
  await expect(hashOfTable(join(folder, "none.csv"))).rejects.toThrow("There is no file");
  const { input } = await withTable("empty.csv", "");
  await expect(hashOfTable(input)).rejects.toThrow("is empty");
});
