import { createHash } from "node:crypto";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { batch } from "../batch.ts";
import { chat } from "../chat.ts";
import { quote } from "../quote.ts";
import { runTable } from "../run/run.ts";
import { batchJson, collectErrors, serve } from "../server.fixture.ts";
import { parseRequires } from "./requires.ts";

const given = "gpu=yes&group=lab";
const header = "group=lab&gpu=yes";

let folder: string;
let server: Server;
/** The calls that carried requirements: method, path and header. */
let calls: (readonly [string, string])[];
/** The batches that the key has. */
let earlier: object[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gleaner-requires-"));
  [calls, earlier] = [[], []];
  server = await serve(({ method, url = "", headers }, response) => {
    const requires = headers["gleaner-requires"];
    if (typeof requires === "string") calls.push([`${String(method)} ${url}`, requires]);
    if (url === "/v1/models") response.end('{"data":[{"id":"m"}]}');
    else if (url === "/v1/files") response.end('{"id":"file-1"}');
    else if (url.startsWith("/v1/batches?")) response.end(JSON.stringify({ data: earlier, has_more: false }));
    else if (url === "/v1/chat/completions" && headers["idempotency-key"] !== undefined)
      response.end('{"choices":[{"message":{"content":"Fine."}}]}');
    else
      response
        .writeHead(403)
        .end('{"error":{"message":"Not these devices.","code":"requirements_not_allowed"}}');
  });
  collectErrors();
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  server.close();
  await rm(folder, { recursive: true });
});

it.each([
  ["color=red", "--requires may have group, tag, gpu, memory, vram, data-class only."],
  ["memory=much", "--requires must have a whole number of GB from 1 to 4096 as memory."],
])("refuses %s as the API does", (text, message) => {
  expect(() => parseRequires(text)).toThrow(expect.objectContaining({ message, exitCode: 2 }));
});

describe("requirements on devices", () => {
  it.each([
    ["chat", () => chat.run(["Who?", "--requires", given]), "POST /v1/chat/completions"],
    ["quote", () => quote.run(["Who?", "--requires", given]), "POST /v1/estimate/chat/completions"],
    ["batch create", () => inBatch("create"), "POST /v1/batches"],
    ["batch estimate", () => inBatch("estimate"), "POST /v1/batches/estimate"],
  ])("go with the call of `%s`, whose refusal is shown", async (_name, run, call) => {
    await expect(run()).rejects.toThrow("Not these devices.");
    expect(calls).toEqual([[call, header]]);
  });

  it("go with all calls of `run`, also when it is continued", async () => {
    const table = join(folder, "table.csv");
    await writeFile(table, "text\none\ntwo\n");
    const asked = ["--template", "{{text}}", "--first", "1", "--json"];
    await expect(runTable.run([table, ...asked, "--requires", given])).rejects.toThrow("were not submitted");
    expect(calls).toEqual([
      ["POST /v1/chat/completions", header],
      ["POST /v1/batches/estimate", header],
    ]);
    calls = [];
    // Another process continues the run. In this one its folder stays locked.
    const [before, after] = ["table.answers.csv", "continued.csv"].map((name) => join(folder, name));
    await cp(String(before), String(after));
    await cp(`${String(before)}.run`, `${String(after)}.run`, { recursive: true });
    await rm(join(`${String(after)}.run`, "gleaner.lock"));
    await expect(runTable.run(["--resume", String(after), "--yes"])).rejects.toThrow("Not these devices.");
    expect(calls.at(-1)).toEqual(["POST /v1/batches", header]);
  });
});

it.each([
  ["the same", header, []],
  ["other", "group=office", [["POST /v1/batches", header]]],
])(
  "an equal file with %s requirements is submitted only if it was not",
  async (_name, requirements, posted) => {
    const json = batchJson("in_progress", { total: 1, completed: 0 });
    const metadata = { gleaner_file: createHash("sha256").update("{}\n").digest("hex") };
    earlier = [{ ...(JSON.parse(json) as object), created_at: Date.now() / 1_000, requirements, metadata }];
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    const outcome = await inBatch("create").then(() => "shown", String);
    expect(outcome).toContain(posted.length === 0 ? "shown" : "Not these devices.");
    expect(calls).toEqual(posted);
  },
);

async function inBatch(action: string): Promise<void> {
  const file = join(folder, "requests.jsonl");
  await writeFile(file, "{}\n");
  await batch.run([action, file, "--requires", given]);
}
