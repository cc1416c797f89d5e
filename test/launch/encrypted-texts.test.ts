import { randomBytes } from "node:crypto";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConvexHttpClient } from "convex/browser";
import { afterAll, beforeAll, expect, test } from "vitest";
import { api } from "../../convex/_generated/api.js";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";

/** Looks for the texts of requests in the bytes of the database and its files, on a real backend with a real donor. */
const marker = `Quokka${randomBytes(6).toString("hex")}`;

/** An idempotency key, which is not encrypted. */
const shownMarker = `Shown${randomBytes(6).toString("hex")}`;

let farm: Farm;
let client: ConvexHttpClient;
let session: string;

beforeAll(async () => {
  farm = await startFarm();
  client = new ConvexHttpClient(farm.backend.url, { logger: false });
  session = makeSecret("gs_");
  await client.mutation(api.console.account.signIn, { token: farm.organization.signInToken, session });
  await client.mutation(api.console.payloads.setAccess, { session, ownersMayLook: true });
});
afterAll(async () => {
  await farm.close();
});

/** The files of the database, with its log of writes and the files of batches, that have a text. */
async function filesWith(text: string): Promise<readonly string[]> {
  const { path, dataFile } = farm.folder;
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => file.startsWith(dataFile));
  expect(files.length).toBeGreaterThan(1);
  const contents = await Promise.all(files.map(async (file) => await readFile(file)));
  return files.filter((_file, at) => contents[at]?.includes(text));
}

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const { apiKey } = farm.organization;
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return await fetch(`${farm.backend.siteUrl}${path}`, { ...init, headers });
}

/** A chat whose answer is the marker, by its grammar. */
const chat = (stream: boolean): string =>
  JSON.stringify({
    model: farm.modelId,
    messages: [{ role: "user", content: `Repeat: ${marker}` }],
    grammar: `root ::= "${marker} ${marker}"`,
    max_completion_tokens: 200,
    stream,
  });

/** A response that is kept, and whose answer is the marker. Returns its id. */
async function keptResponse(): Promise<string> {
  const body = JSON.stringify({
    model: farm.modelId,
    input: `Repeat: ${marker}`,
    text: { format: { type: "json_schema", name: "a", schema: { enum: [marker] } } },
    max_output_tokens: 200,
  });
  const response = await call("/v1/responses", { method: "POST", body });
  const text = await response.text();
  expect(text).toContain(marker);
  return (JSON.parse(text) as { readonly id: string }).id;
}

const jobIdOf = (responseId: string): string => responseId.replace(/^resp_/, "");

test("a prompt that waits for a device is not in the bytes of the database", async () => {
  const headers = {
    authorization: `Bearer ${farm.organization.apiKey}`,
    "content-type": "application/json",
    prefer: "respond-async",
  };
  const url = `${farm.backend.siteUrl}/v1/chat/completions`;
  const named = { ...headers, "idempotency-key": shownMarker };
  const asked = await fetch(url, { method: "POST", body: chat(false), headers: named });
  expect(asked.status).toBe(202);
  const { id } = (await asked.json()) as { readonly id: string };
  const seen = await client.mutation(api.console.payloads.look, { session, jobId: id });
  expect(JSON.stringify(seen.request)).toContain(marker);
  expect(await filesWith(marker)).toEqual([]);
  // The files do have what is not encrypted.
  expect(await filesWith(shownMarker)).not.toEqual([]);
  await client.action(api.console.data.keys.destroy, { session });
  const gone = await client.mutation(api.console.payloads.look, { session, jobId: id });
  expect(gone.request).toBeNull();
});

test("prompts, answers and streamed texts are not in the bytes of the database", async () => {
  await farm.startDonor("encrypted-texts");
  const post = async (): Promise<Response> =>
    await call("/v1/chat/completions", { method: "POST", body: chat(false) });
  await expect.poll(async () => (await post()).status, { timeout: 150_000 }).toBe(200);
  for (const stream of [false, true]) {
    const response = await call("/v1/chat/completions", { method: "POST", body: chat(stream) });
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(stream ? text : text.split(marker).length).toEqual(stream ? expect.stringContaining("data:") : 3);
  }
  const id = await keptResponse();
  expect(await (await call(`/v1/responses/${id}`)).text()).toContain(marker);
  const seen = await client.mutation(api.console.payloads.look, { session, jobId: jobIdOf(id) });
  expect(JSON.stringify(seen)).toContain(marker);
  const noted = JSON.stringify({ model: farm.modelId, input: "Hi", metadata: { note: marker } });
  const created = await call("/v1/responses", { method: "POST", body: noted });
  const { id: notedId } = (await created.json()) as { readonly id: string };
  expect(await (await call(`/v1/responses/${notedId}`)).text()).toContain(marker);
  expect(await filesWith(marker)).toEqual([]);
});

type Batch = {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
};

const read = async (fileId: string | null): Promise<Response> =>
  await call(`/v1/files/${String(fileId)}/content`);

/** Runs a batch with one answer that is the marker, and one request that is refused. */
async function endedBatch(): Promise<{ readonly inputFileId: string; readonly batch: Batch }> {
  const { apiKey } = farm.organization;
  const url = "/v1/chat/completions";
  const bodies = [JSON.parse(chat(false)) as object, JSON.parse(chat(true)) as object];
  const lines = bodies.map((body, at) =>
    JSON.stringify({ custom_id: `${shownMarker} ${String(at)}`, method: "POST", url, body }),
  );
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new File([lines.join("\n")], "lines.jsonl"));
  const headers = { authorization: `Bearer ${apiKey}` };
  const sent = await fetch(`${farm.backend.siteUrl}/v1/files`, { method: "POST", body: form, headers });
  const { id: inputFileId, bytes } = (await sent.json()) as { readonly id: string; readonly bytes: number };
  expect(bytes).toBe(lines.join("\n").length);
  const asked = { input_file_id: inputFileId, endpoint: url, completion_window: "24h" };
  const created = await call("/v1/batches", { method: "POST", body: JSON.stringify(asked) });
  const { id } = (await created.json()) as Batch;
  const get = async () => (await (await call(`/v1/batches/${id}`)).json()) as Batch;
  await expect.poll(async () => (await get()).status, { timeout: 150_000 }).toBe("completed");
  return { inputFileId, batch: await get() };
}

test("the requests, answers and errors of a batch are not in the files of the database", async () => {
  const { inputFileId, batch } = await endedBatch();
  expect(await (await read(inputFileId)).text()).toContain(marker);
  expect(await (await read(batch.output_file_id)).text()).toContain(marker);
  expect(await (await read(batch.error_file_id)).text()).toContain("cannot be streamed");
  expect(await filesWith(marker)).toEqual([]);
  // The database has custom ids and its own errors as they are. The stored files of batches have not.
  const { dataFile } = farm.folder;
  expect(await readdir(`${dataFile}.files`)).toHaveLength(3);
  for (const shown of [shownMarker, "cannot be streamed"]) {
    const found = await filesWith(shown);
    expect(found.map((file) => file.startsWith(`${dataFile}.files`))).not.toContain(true);
    expect(found).not.toEqual([]);
  }
  await farm.restartBackend("crash");
  expect(await (await read(batch.output_file_id)).text()).toContain(marker);
  await client.action(api.console.data.keys.destroy, { session });
  for (const fileId of [inputFileId, batch.output_file_id, batch.error_file_id]) {
    const gone = await read(fileId);
    expect([gone.status, await gone.text()]).toEqual([410, expect.stringContaining("deleted")]);
  }
});

test("another master key takes over at a restart", async () => {
  const id = await keptResponse();
  const { dataKeyFile } = farm.folder;
  await rename(dataKeyFile, `${dataKeyFile}.previous`);
  await farm.restartBackend("stop");
  const isKept = async () => (await client.query(api.console.data.keys.state, { session })).state;
  await expect.poll(isKept).toBe("on");
  await writeFile(`${dataKeyFile}.previous`, makeSecret(""));
  await farm.restartBackend("stop");
  expect(await (await call(`/v1/responses/${id}`)).text()).toContain(marker);
});

test("a destroyed data key deletes the texts, and the API and the console say so", async () => {
  const id = await keptResponse();
  await client.action(api.console.data.keys.destroy, { session });
  const gone = await call(`/v1/responses/${id}`);
  expect([gone.status, await gone.text()]).toEqual([410, expect.stringContaining("deleted")]);
  const seen = await client.mutation(api.console.payloads.look, { session, jobId: jobIdOf(id) });
  expect(seen).toEqual({ request: null, answer: null });
  // Later requests have a new key.
  await keptResponse();
  expect(await filesWith(marker)).toEqual([]);
});
