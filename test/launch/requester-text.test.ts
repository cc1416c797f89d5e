import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Child } from "../../launch/core/child.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";

/**
 * Sends a marker in every kind of request that is answered, refused or fails on the way, and looks for it in all files and
 * in all that the processes print. Only the database may hold it: it keeps a prompt until the job's data is deleted.
 */
const marker = `Quokka${randomBytes(6).toString("hex")}`;
const donorName = "requester-text";
const root = join(import.meta.dirname, "../..");

let farm: Farm;
let donor: Child;

beforeAll(async () => {
  farm = await startFarm();
  donor = await farm.startDonor(donorName);
});
afterAll(async () => {
  await farm.close();
});

type Sent = { readonly status: number; readonly code: string | null };

async function post(path: string, body: string | object, init: RequestInit = {}): Promise<Sent> {
  const response = await fetch(`${farm.backend.siteUrl}${path}`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
    headers: { authorization: `Bearer ${farm.organization.apiKey}`, "content-type": "application/json" },
  });
  const text = await response.text();
  const code = /"code":"(\w+)"/.exec(text)?.[1] ?? null;
  return { status: response.status, code };
}

const chat = (extra: object = {}): object => ({
  model: farm.modelId,
  messages: [{ role: "user", content: `Repeat: ${marker}` }],
  max_completion_tokens: 20,
  ...extra,
});
const sendChat = (extra: object = {}, init?: RequestInit): Promise<Sent> =>
  post("/v1/chat/completions", chat(extra), init);

const schema = (value: object, strict = false): object => ({
  response_format: { type: "json_schema", json_schema: { name: marker, schema: value, strict } },
});
const tool = (name: string, parameters: unknown, strict = false): object => ({
  tools: [{ type: "function", function: { name, description: marker, parameters, strict } }],
  tool_choice: "required",
});
const string = { enum: [marker] };
const nested = { type: "array", minItems: 0, maxItems: 90, items: string };

/** Lasts for seconds, so that something can happen meanwhile. */
const endless = {
  grammar: `root ::= "${marker}" [a-z ] root`,
  max_completion_tokens: 900,
  logprobs: true,
  top_logprobs: 20,
};

test.each<[string, object, number | null]>([
  ["an answered chat", { user: marker, metadata: { a: marker }, stop: [marker] }, 200],
  ["a streamed chat", { stream: true }, 200],
  ["a schema", schema({ type: "object", properties: { [marker]: string } }), 200],
  ["a tool", tool(marker, { type: "object", properties: { [marker]: string } }), 200],
  ["a grammar", { grammar: `root ::= "${marker}"` }, 200],
  ["a grammar that begins with itself", { grammar: `root ::= root "${marker}" | "b"` }, 400],
  ["a grammar with a mistake", { grammar: `root ::= "${marker}` }, 400],
  // This one, and the next, llama.cpp may refuse itself, and print.
  ["a grammar with many repetitions", { grammar: `root ::= ("${marker}"{0,50}){0,50}` }, 400],
  [
    "a schema with many repetitions",
    schema({ type: "object", properties: { a: { ...nested, items: nested } } }),
    null,
  ],
  ["a strict schema with an unknown keyword", schema({ type: "object", [marker]: 1 }, true), 400],
  ["a schema with an unknown keyword", schema({ type: "object", [marker]: 1 }), 200],
  ["a strict schema with a reference to nothing", schema({ $ref: `#/$defs/${marker}` }, true), 400],
  ["a strict tool with a bad schema", tool("tell", { type: marker }, true), 400],
  ["a tool with a bad schema", tool("tell", { type: marker }), 200],
  ["a tool with a bad name", tool(`${marker} ${marker}`, { type: "object" }), 400],
  [
    "a prompt that is too long for the model",
    { messages: [{ role: "user", content: `${marker} `.repeat(500) }] },
    400,
  ],
  ["a prompt that is too long for us", { messages: [{ role: "user", content: marker.repeat(40_000) }] }, 413],
  ["stop strings that are too long", { stop: [marker.repeat(500)] }, 400],
  ["a bad role", { messages: [{ role: marker, content: marker }] }, 400],
  ["a bad bias", { logit_bias: { [marker]: marker } }, 400],
  ["a bad seed", { seed: marker }, 400],
  ["a bad tool choice", { tool_choice: marker }, 400],
  ["a bad format", { response_format: { type: marker } }, 400],
  ["an unknown field", { [marker]: marker }, 400],
  ["an unknown model", { model: marker }, 404],
])("%s gets its answer", async (_what, extra, status) => {
  const sent = await sendChat(extra);
  if (status !== null) expect(sent).toMatchObject({ status });
});

test("other calls that are refused get their answers", async () => {
  const { modelId: model } = farm;
  const sent = [
    await post("/v1/chat/completions", `{"model": "${model}", "messages": [{"${marker}`),
    await post("/v1/chat/completions", `"${marker}"`),
    await post("/v1/completions", { model, prompt: marker, max_tokens: 5 }),
    await post("/v1/completions", { model, prompt: marker, echo: marker }),
    await post("/v1/embeddings", { model, input: [marker, marker] }),
    await post("/v1/embeddings", { model, input: `${marker} `.repeat(1_000) }),
    await post("/v1/embeddings", { model, input: [marker, ""] }),
    await post("/v1/embeddings", { model, input: marker, encoding_format: marker }),
  ];
  expect(sent.map(({ status }) => status)).toEqual([400, 400, 200, 400, 200, 400, 400, 400]);
  for (const [call, args] of [
    ["query", { path: "requests:watch", args: { apiKey: marker, jobId: marker } }],
    ["mutation", { path: "requests:cancel", args: { apiKey: marker, jobId: marker, [marker]: marker } }],
    ["mutation", { path: "requests:submit", args: { work: marker } }],
  ] as const) {
    const response = await fetch(`${farm.backend.url}/api/${call}`, {
      method: "POST",
      body: JSON.stringify({ ...args, format: "json" }),
      headers: { "content-type": "application/json" },
    });
    await response.text();
  }
});

/** The process ids of the donor's runners. */
async function runners(): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)("pgrep", ["-P", String(donor.pid)]).catch(() => ({
    stdout: "",
  }));
  const found: number[] = [];
  for (const pid of stdout.split("\n").filter(Boolean)) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (command.includes("runner-process")) found.push(Number(pid));
  }
  return found;
}

test("a process that holds prompts leaves no core dump", { skip: process.platform !== "linux" }, async () => {
  const asked = sendChat(endless);
  await expect.poll(runners).not.toEqual([]);
  for (const pid of [donor.pid, farm.backend.child.pid, ...(await runners())]) {
    expect(await readFile(`/proc/${pid}/limits`, "utf8")).toMatch(/^Max core file size\s+1\s+1\s/m);
  }
  await asked;
});

test("a job that its requester leaves is canceled", async () => {
  const abort = new AbortController();
  const left = sendChat({ ...endless, stream: true }, { signal: abort.signal });
  await sleep(500);
  abort.abort();
  await expect(left).rejects.toThrow();
});

/** Calls a function of the queue with the deployment's key. The HTTP API sets no deadlines, but the queue has them. */
async function callQueue(path: string, args: object): Promise<unknown> {
  const response = await fetch(`${farm.backend.url}/api/function`, {
    method: "POST",
    body: JSON.stringify({ componentPath: "queue", path, args, format: "json" }),
    headers: { authorization: `Convex ${farm.backend.adminKey}`, "content-type": "application/json" },
  });
  const answer = (await response.json()) as { readonly value?: unknown };
  expect(answer).toMatchObject({ status: "success" });
  return answer.value;
}

test.each([
  ["while a donor works on it", "deadlineAt", {}],
  ["before any device could take it", "expiresAt", { model: marker }],
])("a job expires %s", async (_what, limit, requirements) => {
  const scope = farm.organization.organizationId;
  const sampling = { temperature: 0, topP: 1, seed: 1, stop: [marker] };
  const messages = [{ role: "user", content: `Repeat: ${marker}` }];
  const job = {
    kind: "chat",
    payload: { messages, maxTokens: 900, ...sampling, format: { kind: "grammar", grammar: endless.grammar } },
    requirements: { model: farm.modelId, ...requirements },
    [limit]: Date.now() + 2_000,
  };
  const submitted = await callQueue("jobs:submit", { scope, jobs: [job] });
  const [jobId] = (submitted as { readonly jobIds: readonly string[] }).jobIds;
  const statusOf = async () =>
    ((await callQueue("jobs:get", { scope, jobId })) as { readonly status: string }).status;
  if (limit === "deadlineAt") await expect.poll(statusOf).toBe("running");
  await expect.poll(statusOf).toBe("expired");
  const attempts = await callQueue("jobs:attempts", { scope, jobId });
  expect(attempts).toMatchObject(limit === "deadlineAt" ? [{ status: "expired" }] : []);
});

test("a job survives the backend's crash", async () => {
  const lost = expect(sendChat(endless)).rejects.toThrow();
  await sleep(500);
  await farm.restartBackend("crash");
  await lost;
  expect(await sendChat({})).toMatchObject({ status: 200 });
});

test("a job fails whose runner crashes each time", { skip: process.platform !== "linux" }, async () => {
  const signals = ["SIGABRT", "SIGSEGV", "SIGKILL"] as const;
  let crashes = 0;
  let over = false;
  const sent = sendChat(endless).finally(() => (over = true));
  while (!over) {
    await sleep(50);
    for (const pid of await runners()) {
      try {
        process.kill(pid, signals[crashes++ % signals.length]);
      } catch {
        // It has ended already.
      }
    }
  }
  expect(await sent).toMatchObject({ status: 500, code: "runner_crashed" });
  expect(crashes).toBeGreaterThanOrEqual(signals.length);
});

test("no text of a request is in a file, a log or a report", async () => {
  const folder = join(farm.folder.donorFolder, donorName);
  const explain = join(root, "cli/gleaner.ts");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    explain,
    "explain",
    "--data",
    folder,
  ]);
  expect(stdout).toContain("donat");
  expect(stdout + stderr).not.toContain(marker);

  const files = (await readdir(farm.folder.path, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const database = basename(farm.folder.dataFile);
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  const found: string[] = [];
  for (const path of paths) if ((await readFile(path)).includes(marker)) found.push(path);
  const inDatabase = (path: string): boolean => basename(path).startsWith(database);
  // The marker did arrive, and the logs are those of the processes.
  expect(found.some(inDatabase)).toBe(true);
  const log = await readFile(join(farm.folder.logFolder, `${donorName}.log`), "utf8");
  expect(log).toContain('"runner.crashed"');
  expect(paths.map((path) => basename(path))).toContain("backend.log");
  expect(found.filter((path) => !inDatabase(path))).toEqual([]);
});
