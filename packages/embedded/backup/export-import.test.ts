import { writeFileSync } from "node:fs";
import { buffer } from "node:stream/consumers";
import { ConvexClient } from "convex/browser";
import { makeFunctionReference } from "convex/server";
import { jsonToConvex, type Value } from "convex/values";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPromise } from "yauzl";
import { encodeDocumentId } from "../values/document-id.ts";
import { type Deployment, Workshop } from "./backend.fixture.ts";
import { writeZip } from "./zip-writer.ts";

let workshop: Workshop;
let source: Deployment;
let author: string;
let fileId: string;

const odd = { nested: [null, -0, 1.5, 7n, { deep: "ü\n\u2028" }], limit: 2n ** 63n - 1n, inf: -Infinity };

beforeAll(async () => {
  workshop = new Workshop();
  source = await workshop.backend("source");
  author = (await source.mutation("notes:addUser", { name: "dora" })) as string;
  fileId = (await source.action("notes:store", { text: "the file's text" })) as string;
  await source.mutation("notes:add", { author, note: { text: "plain", size: 3, big: 5n, vector: [1, 0] } });
  const task = (await source.mutation("notes:addTask", { name: "first" })) as string;
  await source.mutation("notes:addTask", { name: "second", after: task });
  await source.mutation("notes:add", {
    author,
    note: { text: "odd", raw: new Uint8Array([0, 255]).buffer, anything: odd, file: fileId },
  });
});
afterAll(() => workshop.close());

/** Reads the files of a ZIP, by name. */
async function unzip(path: string): Promise<Map<string, string>> {
  const zip = await openPromise(path, { lazyEntries: true });
  const files = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    files.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString());
  }
  return files;
}

async function exported(from: Deployment, name: string, ...options: string[]) {
  const path = workshop.path(name);
  const ran = await workshop.convex(from, "export", "--path", path, ...options);
  expect(ran.code, ran.output).toBe(0);
  return { path, files: await unzip(path), output: ran.output };
}

test("an export has the same files and formats as Convex's", async () => {
  const { files } = await exported(source, "whole.zip", "--include-file-storage");
  expect([...files.keys()].sort()).toEqual(
    [
      "README.md",
      "_components/pool/_storage/documents.jsonl",
      "_components/pool/_tables/documents.jsonl",
      "_components/pool/tasks/documents.jsonl",
      "_components/pool/tasks/generated_schema.jsonl",
      "_storage/documents.jsonl",
      `_storage/${fileId}.txt`,
      "_tables/documents.jsonl",
      "notes/documents.jsonl",
      "notes/generated_schema.jsonl",
      "users/documents.jsonl",
      "users/generated_schema.jsonl",
    ].sort(),
  );
  expect(files.get(`_storage/${fileId}.txt`)).toBe("the file's text");
  expect(files.get("notes/generated_schema.jsonl")).toBe('"uniform"\n');
  expect(files.get("notes/documents.jsonl")).toContain('"size":3.0');
  expect(files.get("notes/documents.jsonl")).toContain('"big":5,');
  const tables = (files.get("_tables/documents.jsonl") ?? "").trim().split("\n");
  expect(tables.map((line) => (JSON.parse(line) as { name: string }).name).sort()).toEqual([
    "notes",
    "users",
  ]);
});

test("an export is imported unchanged into an empty deployment", async () => {
  const first = await exported(source, "first.zip", "--include-file-storage");
  const target = await workshop.backend("target");
  const ran = await workshop.convex(target, "import", first.path, "-y");
  expect(ran.code, ran.output).toBe(0);
  expect(ran.output).toContain("Added 5 documents");
  const second = await exported(target, "second.zip", "--include-file-storage");
  expect(Object.fromEntries(second.files)).toEqual(Object.fromEntries(first.files));
  const notes = (await target.query("notes:list")) as { anything?: Value }[];
  expect(notes[1]?.anything).toEqual(odd);
  expect(notes).toEqual(await source.query("notes:list"));
  expect(await target.query("notes:tasks")).toEqual(await source.query("notes:tasks"));
  expect(await target.query("notes:byAuthor", { author })).toHaveLength(2);
  const url = (await target.query("notes:url", { id: fileId })) as string;
  expect(await (await fetch(url)).text()).toBe("the file's text");
  expect(await target.query("notes:search", { text: "pla" })).toEqual(["plain"]);
  expect(await target.action("notes:nearest", { vector: [1, 0] })).toMatchObject([{ _score: 1 }]);
  // New documents are added beside the old ones.
  await target.mutation("notes:add", { author, note: { text: "new" } });
  expect(await target.query("notes:count")).toBe(3);
});

describe("importing into tables that have documents", () => {
  let path: string;
  beforeAll(async () => {
    ({ path } = await exported(source, "again.zip"));
  });

  test("an import into a table with documents is refused without a mode", async () => {
    const ran = await workshop.convex(source, "import", path, "-y");
    expect(ran.code).not.toBe(0);
    expect(ran.output).toContain(
      "already exists. Please choose a new table name or use replace/append modes.",
    );
  });

  test("an import with --replace replaces documents, and subscribers see it at once", async () => {
    const target = await workshop.backend("replaced");
    const other = (await target.mutation("notes:addUser", { name: "other" })) as string;
    await target.mutation("notes:add", { author: other, note: { text: "goes" } });
    const seen: Value[] = [];
    const client = new ConvexClient(target.url);
    client.onUpdate(makeFunctionReference<"query">("notes:count"), {}, (count: number) => seen.push(count));
    await expect.poll(() => seen).toEqual([1]);
    const ran = await workshop.convex(target, "import", path, "--replace", "-y");
    expect(ran.code, ran.output).toBe(0);
    expect(ran.output).toMatch(/notes +\| 2 +\| 1 of 1/);
    await expect.poll(() => seen).toEqual([1, 2]);
    await client.close();
  });

  test("an import with --replace-all empties the tables that it does not have", async () => {
    const target = await workshop.backend("all");
    const other = (await target.mutation("notes:addUser", { name: "other" })) as string;
    await target.mutation("notes:add", { author: other, note: { text: "goes" } });
    writeFileSync(workshop.path("users.jsonl"), '{"name":"eve"}\n{"name":"frank"}\n');
    const ran = await workshop.convex(
      target,
      ...["import", "--table", "users", "--replace-all", "-y", workshop.path("users.jsonl")],
    );
    expect(ran.code, ran.output).toBe(0);
    expect(await target.query("notes:count")).toBe(0);
    expect(await target.query("notes:users")).toHaveLength(2);
  });
});

describe("files that people write", () => {
  let target: Deployment;
  beforeAll(async () => {
    target = await workshop.backend("files");
  });

  const importFile = (name: string, text: string, ...options: string[]) => {
    writeFileSync(workshop.path(name), text);
    return workshop.convex(target, "import", "--table", "users", "-y", ...options, workshop.path(name));
  };

  test("CSV, JSON lines and JSON arrays are imported", async () => {
    expect(await importFile("a.csv", '\uFEFFname\r\n"dora, the ""1st"""\r\nemil\r\n')).toMatchObject({
      code: 0,
    });
    expect(await importFile("b.jsonl", '{"name":"fay"}', "--append")).toMatchObject({ code: 0 });
    expect(await importFile("c.json", '[{"name":"gus"}]', "--append")).toMatchObject({ code: 0 });
    const users = (await target.query("notes:users")) as { name: string; _creationTime: number }[];
    expect(users.map(({ name }) => name)).toEqual(['dora, the "1st"', "emil", "fay", "gus"]);
  });

  test.each([
    ["broken.jsonl", '{"name":"x"}\n{"name":', "line 2: this is not valid JSON"],
    ["wrong.jsonl", '{"name":"x"}\n{"name":5}\n', "line 2: Failed to insert or update"],
    ["field.jsonl", '{"name":"x","_secret":1}\n', 'line 1: the field "_secret" begins with an underscore'],
    ["id.jsonl", '{"name":"x","_id":"nonsense"}\n', 'line 1: the _id "nonsense" is not a Convex id'],
    ["cells.csv", "name,other\nx\n", "line 2: there are 1 cells under 2 headings"],
    ["object.json", "{}", "is not a JSON array"],
  ])("%s is refused with file and line, and nothing changes", async (name, text, problem) => {
    const before = await target.query("notes:users");
    const ran = await importFile(name, text, "--replace");
    expect(ran.code).not.toBe(0);
    expect(ran.output).toContain(problem);
    expect(await target.query("notes:users")).toEqual(before);
  });
});

test("an export whose component uses the app's table numbers is imported", async () => {
  const id = (tableNumber: number, n: number) =>
    encodeDocumentId({ tableNumber, internalId: new Uint8Array(16).fill(n) });
  const path = workshop.path("convex.zip");
  const entries: Readonly<Record<string, readonly object[]>> = {
    _tables: [{ name: "users", id: 10_001 }],
    "_components/pool/_tables": [{ name: "tasks", id: 10_001 }],
    users: [{ _id: id(10_001, 1), _creationTime: 1, name: "dora" }],
    "_components/pool/tasks": [
      { _id: id(10_001, 1), _creationTime: 1, name: "first" },
      { _id: id(10_001, 2), _creationTime: 2, name: "second", after: id(10_001, 1) },
    ],
  };
  await writeZip(path, async (zip) => {
    for (const [folder, rows] of Object.entries(entries)) {
      await zip.add(
        `${folder}/documents.jsonl`,
        rows.map((row) => `${JSON.stringify(row)}\n`),
      );
    }
  });
  const target = await workshop.backend("from-convex");
  const ran = await workshop.convex(target, "import", path, "-y");
  expect(ran.code, ran.output).toBe(0);
  expect(await target.query("notes:users")).toMatchObject([{ _id: id(10_001, 1) }]);
  const [first, second] = (await target.query("notes:tasks")) as { _id: string; after?: string }[];
  expect(second?.after).toBe(first?._id);
  expect(first?._id).not.toBe(id(10_001, 1));
  const shown = await workshop.convex(
    target,
    "data",
    "tasks",
    "--component",
    "pool",
    "--format",
    "jsonLines",
  );
  expect(shown.output).toContain('"name": "second"');
});

test("an import is refused if it would change ids that other tables refer to", async () => {
  const path = workshop.path("renumbered.jsonl");
  const _id = encodeDocumentId({ tableNumber: 20_000, internalId: new Uint8Array(16) });
  writeFileSync(path, `${JSON.stringify({ _id, name: "new" })}\n`);
  const before = await source.query("notes:users");
  const ran = await workshop.convex(source, "import", "--table", "users", "--replace", "-y", path);
  expect(ran.code).toBe(1);
  expect(ran.output).toMatch(/changes the ids of a table that others refer to.*"notes"/s);
  expect(await source.query("notes:users")).toEqual(before);
});

test("npx convex data lists tables and documents", async () => {
  expect((await workshop.convex(source, "data")).output.trim().split("\n").sort()).toEqual([
    "notes",
    "users",
  ]);
  const shown = await workshop.convex(source, "data", "notes", "--format", "jsonLines");
  expect(shown.output).toContain('"text": "plain"');
  const storage = await workshop.convex(source, "data", "_storage");
  expect(storage.output).toContain("text/plain");
});

test("only the admin may export and import", async () => {
  for (const [path, method] of [
    ["/api/export/request/zip?includeStorage=false", "POST"],
    ["/api/export/zip/1", "GET"],
    ["/api/import/start_upload", "POST"],
    ["/api/perform_import", "POST"],
  ] as const) {
    expect((await fetch(source.url + path, { method })).status).toBe(401);
  }
  expect(jsonToConvex(null)).toBeNull();
});

test("an import waits for running queries, and they for it", async () => {
  const target = await workshop.backend("busy", { latency: { readMs: 20, commitMs: 0 } });
  const file = workshop.path("few.jsonl");
  writeFileSync(file, `${JSON.stringify({ name: "imported" })}\n`);
  const imported = workshop.convex(target, "import", "--table", "users", file);
  let isDone = false;
  void imported.finally(() => (isDone = true));
  const run = async (): Promise<void> => {
    while (!isDone) expect(await target.query("notes:countSlowly")).toBe(0);
  };
  await Promise.all([run(), run(), run()]);
  const { code, output } = await imported;
  expect(code, output).toBe(0);
  expect(await target.query("notes:users")).toHaveLength(1);
});
