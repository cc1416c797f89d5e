import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exitUsage } from "../../command/command.ts";
import { listOf } from "./list-of.fixture.ts";
import { formatOf, readRows, type TableFormat } from "./rows.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-rows-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function rowsOf(content: string | Uint8Array, format: TableFormat): Promise<readonly unknown[]> {
  const file = join(folder, `table.${format}`);
  await writeFile(file, content);
  return await listOf(readRows(file, format));
}

describe("a CSV file", () => {
  it("has cells with quotes, commas and line breaks, a byte order mark, and blank lines", async () => {
    const text = '\ufeffid,text\r\n1,"a ""b"", c\nd"\r\n\r\n2,ä€😀\r\n';
    expect(await rowsOf(text, "csv")).toEqual([
      { id: "1", text: 'a "b", c\nd' },
      { id: "2", text: "ä€😀" },
    ]);
  });

  it.each([";", "\t"])("may be separated by %j, and then has commas in its cells", async (separator) => {
    expect(await rowsOf(`a${separator}b\n1,5${separator}2\n`, "csv")).toEqual([{ a: "1,5", b: "2" }]);
  });

  it("may have one column, and no rows", async () => {
    expect(await rowsOf("text\nhello\n", "csv")).toEqual([{ text: "hello" }]);
    expect(await rowsOf("text\n", "csv")).toEqual([]);
  });

  it("is read in pieces that end anywhere", async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => ({ n: String(index), text: `ä,"${index}"\n` }));
    const text = rows.map(({ n, text: cell }) => `${n},"${cell.replaceAll('"', '""')}"\n`).join("");
    expect(await rowsOf(`n,text\n${text}`, "csv")).toEqual(rows);
  });

  it.each([
    [
      "a,b\n1,2\n1\n",
      /is not a CSV table: line 3 has another number of values \(1\) than the header \(2\)\./,
    ],
    ["a\n1, 2\n", /is not a CSV table: line 2 .* \(2\) than the header \(1\)\. A value with a delimiter/],
    ["a,a\n1,2\n", /two columns called "a"/],
    ['a,b\n1,"2\n', /is not a CSV table: the quote that begins at line 2 has no end\./],
    ['a,b\n1,"2" 3\n', /is not a CSV table: line 2 has a quote in the middle of a value\./],
    ['a,b\n1,2 "3"\n', /is not a CSV table: line 2 has a quote in the middle of a value\./],
    [Uint8Array.from([97, 10, 0xe4, 10]), /not in UTF-8/],
  ])("is refused with the reason: %j", async (content, why) => {
    const refused = rowsOf(content, "csv");
    await expect(refused).rejects.toThrow(why);
    await expect(refused).rejects.toMatchObject({ exitCode: exitUsage });
  });
});

describe("a file of JSON lines", () => {
  it("has objects, and blank lines", async () => {
    expect(await rowsOf('{"a":1}\n\n{"a":"x\u2028y"}', "jsonl")).toEqual([{ a: 1 }, { a: "x\u2028y" }]);
  });

  it("is refused with the line that is no object", async () => {
    await expect(rowsOf('{"a":1}\n\n[1]\n', "jsonl")).rejects.toThrow("Line 3 of");
  });
});

it("knows a format by the file's name", () => {
  expect(["a.CSV", "b.jsonl", "c.ndjson", "d.xlsx", "csv"].map(formatOf)).toEqual([
    "csv",
    "jsonl",
    "jsonl",
    null,
    null,
  ]);
});
