import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cellValue, csvRows } from "../read/csv-rows.ts";
import { textLines } from "../read/text-lines.ts";
import { zipSource } from "../read/zip-source.ts";
import { writeZip } from "../zip-writer.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "import-bounds-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function collected<T>(from: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of from) all.push(each);
  return all;
}

async function* chunks(text: string | Buffer, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

describe("lines", () => {
  test.each([1, 2, 3, 7, 1_000])("lines are the same in chunks of %i bytes", async (size) => {
    expect(await collected(textLines(chunks('{"a":"ü"}\r\n\n{"b":2}\n{"c":3}', size), "f"))).toEqual([
      { number: 1, text: '{"a":"ü"}' },
      { number: 3, text: '{"b":2}' },
      { number: 4, text: '{"c":3}' },
    ]);
  });

  test.each([10, 1_000])(
    "a line that is too long is refused before it is kept in memory, in chunks of %i bytes",
    async (size) => {
      const long = chunks(`{}\n${"x".repeat(5_000)}`, size);
      await expect(collected(textLines(long, "f", 1_000))).rejects.toThrow(
        "f, line 2: this line is longer than 1000 bytes",
      );
    },
  );

  test("lines that are not UTF-8 are refused", async () => {
    const bad = chunks(Buffer.from([0x7b, 0x7d, 0x0a, 0xff, 0xfe]), 10);
    await expect(collected(textLines(bad, "f"))).rejects.toThrow("f, line 2: this is not valid UTF-8.");
  });
});

describe("CSV", () => {
  test.each([1, 3, 1_000])("CSV is read as in RFC 4180, in chunks of %i bytes", async (size) => {
    const csv = 'a,b\r\n"x ""y""\nz",1\r\n\r\n,\nlast,"é"';
    expect(await collected(csvRows(chunks(csv, size), "f"))).toEqual([
      { line: 1, cells: ["a", "b"] },
      { line: 2, cells: ['x "y"\nz', "1"] },
      { line: 5, cells: ["", ""] },
      { line: 6, cells: ["last", "é"] },
    ]);
  });

  test("a CSV quote that is never closed is refused with its line", async () => {
    await expect(collected(csvRows(chunks('a\n"b\nc', 10), "f"))).rejects.toThrow(
      "f, line 2: a quote is never closed",
    );
  });

  test.each([
    ["1", 1],
    ["-1.5e3", -1500],
    [".5", 0.5],
    ["", ""],
    ["0x10", "0x10"],
    ["1_000", "1_000"],
    ["NaN", { $float: "AAAAAAAA+H8=" }],
    ["-inf", { $float: "AAAAAAAA8P8=" }],
  ])("the CSV cell %j is %j", (cell, value) => {
    expect(cellValue(cell)).toEqual(value);
  });
});

describe("ZIP files", () => {
  async function zipOf(name: string, files: Record<string, string | Iterable<Buffer>>): Promise<string> {
    const path = join(folder, name);
    await writeZip(path, async (zip) => {
      for (const [file, content] of Object.entries(files)) {
        await zip.add(file, typeof content === "string" ? [content] : content);
      }
    });
    return path;
  }

  function* zeros(megabytes: number): Generator<Buffer> {
    const one = Buffer.alloc(1024 * 1024, "{");
    for (let n = 0; n < megabytes; n++) yield one;
  }

  test("a ZIP bomb is refused by its size, before anything is unpacked", async () => {
    const path = await zipOf("bomb.zip", { "jobs/documents.jsonl": zeros(40) });
    await expect(zipSource(path, "", 1024 * 1024)).rejects.toThrow("it may be a ZIP bomb");
  });

  test("ZIP entries whose names lead out of the archive are refused", async () => {
    const path = await zipOf("plain.zip", { "aa/bb/documents.jsonl": "{}" });
    const { readFileSync } = await import("node:fs");
    const bytes = readFileSync(path).toString("latin1").replaceAll("aa/bb/", "../bb/");
    writeFileSync(path, Buffer.from(bytes, "latin1"));
    await expect(zipSource(path, "")).rejects.toThrow(/cannot be read: invalid relative path/);
  });

  test("a file that is not an export is refused", async () => {
    await expect(zipSource(await zipOf("other.zip", { "a.txt": "hello" }), "")).rejects.toThrow(
      "it is not an export",
    );
    writeFileSync(join(folder, "no.zip"), "not a zip");
    await expect(zipSource(join(folder, "no.zip"), "")).rejects.toThrow("The ZIP file cannot be read");
  });

  test("an older export whose integers cannot be told from text is refused", async () => {
    const path = await zipOf("old.zip", {
      "jobs/documents.jsonl": '{"n":"1"}\n',
      "jobs/generated_schema.jsonl": '"{\\"n\\": int64}"\n',
    });
    await expect(zipSource(path, "")).rejects.toThrow("Export again with the present one");
  });

  test("ZIP content that does not fit its checksum is refused when it is read", async () => {
    const path = await zipOf("damaged.zip", {
      "jobs/documents.jsonl": `{"n":"${createHash("sha256").digest("hex")}"}\n`,
    });
    const { readFileSync } = await import("node:fs");
    const bytes = readFileSync(path);
    bytes[60] = (bytes[60] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
    const source = await zipSource(path, "");
    const [table] = source.tables;
    await expect(collected<unknown>(table?.rows() ?? chunks("", 1))).rejects.toThrow(
      /ZIP file cannot be read|JSON|UTF-8/,
    );
    source.close();
  });
});
