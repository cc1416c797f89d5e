import { execFileSync } from "node:child_process";
import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AnswerFile } from "./answer-file.ts";
import { claimRun, RunRecord, type RunState } from "./run-state.ts";

let folder: string;
let output: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-answers-"));
  output = join(folder, "out");
  await writeFile(join(folder, "in.csv"), 'id,text\n1,"a ""b"""\n-2,c\n3,d\n4,e\n');
});
afterEach(() => rm(folder, { recursive: true }));

function stateOf(outputFormat: "csv" | "jsonl"): RunState {
  return {
    version: 1,
    id: "id",
    url: "http://127.0.0.1/v1",
    settings: {
      input: join(folder, "in.csv"),
      inputSha256: "",
      format: "csv",
      template: "{{text}}",
      system: null,
      model: "m",
      maxTokens: null,
      temperature: null,
      requires: "",
      within: "24h",
      first: 0,
      column: "answer",
      outputFormat,
    },
    rows: 3,
    columns: ["id", "text"],
    parts: [],
    isAgreed: true,
    firstPriceMicro: "0",
    written: { rows: 0, bytes: 0, failed: 0 },
  };
}

const answer = (text: string) => ({ text, isError: false });
const text = (): Promise<string> => readFile(output, "utf8");

it("writes answers in the order of the rows, whatever the order in which they come", async () => {
  const record = new RunRecord(output, stateOf("csv"));
  const file = await AnswerFile.open(output, record);
  file.add(2, answer("third"));
  await file.flush();
  expect(await text()).toBe("id,text,answer,answer_error\r\n");
  file.add(0, answer('first, "quoted"'));
  file.add(1, { text: "no answer", isError: true });
  await file.flush();
  await file.close();
  expect(await text()).toBe(
    'id,text,answer,answer_error\r\n1,"a ""b""","first, ""quoted""",\r\n-2,c,,no answer\r\n3,d,third,\r\n',
  );
  expect(record.state.written).toMatchObject({ rows: 3, failed: 1 });
  expect((await stat(output)).mode & 0o777).toBe(0o600);
});

it("continues after a kill in the middle of a write, without a doubled or a lost row", async () => {
  const record = new RunRecord(output, stateOf("jsonl"));
  const file = await AnswerFile.open(output, record);
  file.add(0, answer("first"));
  await file.flush();
  await file.close();
  await appendFile(output, '{"id":"-2","te');
  const again = await AnswerFile.open(output, new RunRecord(output, record.state));
  expect([0, 1].map((row) => again.has(row))).toEqual([true, false]);
  // The server's file is read from its start again.
  for (const [row, each] of ["first", "second", "third"].entries()) again.add(row, answer(each));
  await again.flush();
  await again.close();
  const rows = (await text())
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(rows).toEqual([
    { id: "1", text: 'a "b"', answer: "first", answer_error: null },
    { id: "-2", text: "c", answer: "second", answer_error: null },
    { id: "3", text: "d", answer: "third", answer_error: null },
  ]);
});

it("keeps a model from writing formulas into a spreadsheet, and leaves the person's cells as they are", async () => {
  const file = await AnswerFile.open(output, new RunRecord(output, stateOf("csv")));
  file.add(0, answer("=HYPERLINK(1)"));
  file.add(1, answer("b"));
  for (const [row, each] of ["-1.5", "-1+A1"].entries()) file.add(row + 2, answer(each));
  await file.flush();
  await file.close();
  expect(await text()).toContain(",'=HYPERLINK(1),\r\n-2,c,b,\r\n3,d,-1.5,\r\n4,e,'-1+A1,\r\n");
});

it("writes CSV as the table has it, with its delimiter and its byte order mark", async () => {
  await writeFile(join(folder, "in.csv"), "\ufeffid;text\n1,5;a\n2;b\n3;c\n");
  const file = await AnswerFile.open(output, new RunRecord(output, stateOf("csv")));
  file.add(0, answer("x; y"));
  await file.flush();
  await file.close();
  expect(await text()).toBe('\ufeffid;text;answer;answer_error\r\n1,5;a;"x; y";\r\n');
});

it.skipIf(process.platform === "win32")(
  "notes no row as written that a full disk has only in part",
  async () => {
    const record = new RunRecord(output, stateOf("csv"));
    await record.save({});
    const module = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
    const script = `
      import { AnswerFile } from ${module("./answer-file.ts")};
      import { claimRun, RunRecord } from ${module("./run-state.ts")};
      const output = ${JSON.stringify(output)};
      const file = await AnswerFile.open(output, new RunRecord(output, await claimRun(output)));
      file.add(0, { text: "x".repeat(100_000), isError: false });
      await file.flush().catch((error) => console.log(error.name, error.message));`;
    // In place of a full disk: no file may have more than 8 KiB.
    const limited = `ulimit -f 16 && exec "$0" --input-type=module`;
    const said = execFileSync("sh", ["-c", limited, process.execPath], { input: script, encoding: "utf8" });
    expect(said).toMatch(/^CommandError EFBIG/);
    expect(await claimRun(output)).toMatchObject({ written: { rows: 0, bytes: 0 } });
  },
);

it("refuses an output that has lost rows", async () => {
  const record = new RunRecord(output, { ...stateOf("csv"), written: { rows: 1, bytes: 99, failed: 0 } });
  await writeFile(output, "id");
  await expect(AnswerFile.open(output, record)).rejects.toThrow("shorter");
});
