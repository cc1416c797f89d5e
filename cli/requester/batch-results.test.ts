import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { batch } from "./batch.ts";

const found = JSON.stringify({
  id: "b",
  status: "in_progress",
  endpoint: "/v1/chat/completions",
  created_at: 1,
  expires_at: 2,
  output_file_id: "f",
  error_file_id: null,
  request_counts: { total: 2, completed: 2, failed: 0 },
  errors: null,
});

let folder: string;
let server: Server;
/** Answers the reads of the file of answers, of which there are two. */
let second: RequestListener;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-results-"));
  let reads = 0;
  server = createServer((request, response) => {
    if (request.url === "/v1/batches/b") response.end(found);
    else if (++reads === 1) response.writeHead(206).end('{"a":1}\n');
    else second(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("GLEANER_BASE_URL", `http://127.0.0.1:${String(port)}`);
  vi.stubEnv("GLEANER_API_KEY", "key");
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

it("leaves no file behind if the server fails in between", async () => {
  second = (_, response) => response.writeHead(500).end("{}");
  await expect(write()).rejects.toThrow();
  expect(await readdir(folder)).toEqual([]);
});
