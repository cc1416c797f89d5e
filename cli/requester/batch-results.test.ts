import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import type { RequestListener, Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { batch } from "./batch.ts";
import { batchJson, collectErrors, serve } from "./server.fixture.ts";

const found = batchJson("in_progress", { total: 2, completed: 2 });

let folder: string;
let server: Server;
/** Answers the reads of the file of answers, of which there are two. */
let second: RequestListener;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-results-"));
  let reads = 0;
  server = await serve((request, response) => {
    if (request.url === "/v1/batches/b") response.end(found);
    else if (request.url === "/v1/batches/e") response.end(found.replace('"f"', "null"));
    else if (++reads === 1) response.writeHead(206).end('{"a":1}\n');
    else second(request, response);
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server.close();
  await rm(folder, { recursive: true });
});

const write = async () => await batch.run(["results", "b", "--output", join(folder, "answers.jsonl")]);

it("writes all answers to a new file", async () => {
  second = (_, response) => response.end('{"b":2}\n');
  await write();
  expect(await readdir(folder)).toEqual(["answers.jsonl"]);
  expect(await readFile(join(folder, "answers.jsonl"), "utf8")).toBe('{"a":1}\n{"b":2}\n');
  await expect(write()).rejects.toThrow("exists already");
});

it.each([
  [[], "b has no answers yet. Those that failed: gleaner batch results b --errors\n"],
  [["--errors"], "b has no errors yet.\n"],
])("says that a batch has nothing to print: %j", async (flags, words) => {
  const said = collectErrors();
  await batch.run(["results", "e", ...flags]);
  vi.restoreAllMocks();
  expect(said()).toBe(words);
});

it("leaves no file behind if the server fails in between", async () => {
  second = (_, response) => response.writeHead(500).end("{}");
  await expect(write()).rejects.toThrow();
  expect(await readdir(folder)).toEqual([]);
});
