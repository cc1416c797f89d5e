import { setTimeout as sleep } from "node:timers/promises";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { ledgerFaults } from "../../launch/farm/ledger-faults.ts";
import { demoPrompts } from "../../launch/farm/prompts.ts";

/** Batches with the official client, on a running backend and donors with the demo model. */
let farm: Farm;
let client: OpenAI;

beforeAll(async () => {
  farm = await startFarm();
  await farm.startDonor("batch-1");
  await farm.startDonor("batch-2");
  client = new OpenAI({ baseURL: `${farm.backend.siteUrl}/v1`, apiKey: farm.organization.apiKey });
});
afterAll(async () => {
  await farm.close();
});

const prompts = demoPrompts(60);

const request = (body: object, index: number): string =>
  JSON.stringify({ custom_id: `line ${index}`, method: "POST", url: "/v1/chat/completions", body });

async function upload(lines: readonly string[]): Promise<string> {
  const file = await toFile(Buffer.from(lines.join("\n")), "prompts.jsonl");
  return (await client.files.create({ file, purpose: "batch" })).id;
}

const answers = z.array(
  z.object({
    custom_id: z.string(),
    error: z.null(),
    response: z.object({
      status_code: z.number(),
      body: z.object({
        choices: z.array(z.object({ message: z.object({ content: z.string() }) })).optional(),
        error: z.object({ code: z.string() }).optional(),
      }),
    }),
  }),
);

async function linesOf(fileId: string | null | undefined): Promise<z.infer<typeof answers>> {
  const response = await client.files.content(fileId ?? "");
  const text = await response.text();
  // A client notices by it that a body broke off.
  expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
  return answers.parse(
    text
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line)),
  );
}

/** Asks for the batch until it is so. */
async function until(id: string, isSo: (batch: OpenAI.Batch) => boolean): Promise<OpenAI.Batch> {
  for (;;) {
    const batch = await client.batches.retrieve(id);
    if (isSo(batch)) return batch;
    await sleep(500);
  }
}

test("each request of a batch is answered once, although the backend is killed meanwhile", async () => {
  // A request with several choices is several jobs, whose ends the crash may part.
  const choicesOf = (index: number): number => (index % 5 === 0 ? 3 : 1);
  const bounds = { model: farm.modelId, temperature: 0, max_tokens: 64 };
  const lines = prompts.map(({ prompt: content }, index) =>
    request({ ...bounds, messages: [{ role: "user", content }], n: choicesOf(index) }, index),
  );
  const wrong = request({ model: "gpt-5", messages: [{ role: "user", content: "x" }] }, prompts.length);
  const created = await client.batches.create({
    input_file_id: await upload([...lines, wrong]),
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
    metadata: { run: "nightly" },
  });
  await until(created.id, ({ request_counts }) => (request_counts?.completed ?? 0) >= 5);
  await farm.restartBackend("crash");
  // The output file can be read while it grows.
  const early = await client.batches.retrieve(created.id);
  expect((await linesOf(early.output_file_id)).length).toBeGreaterThanOrEqual(5);
  const batch = await until(created.id, ({ status }) => status === "completed");

  expect(batch).toMatchObject({
    request_counts: { total: 61, completed: 60, failed: 1 },
    metadata: { run: "nightly" },
  });
  const output = await linesOf(batch.output_file_id);
  expect(output.map(({ custom_id }) => custom_id).sort()).toEqual(
    prompts.map((_, index) => `line ${index}`).sort(),
  );
  for (const { custom_id, response } of output) {
    const index = Number(custom_id.slice("line ".length));
    expect(response.body.choices).toHaveLength(choicesOf(index));
  }
  const right = output.filter(({ custom_id, response }) => {
    const text = response.body.choices?.[0]?.message.content ?? "";
    return prompts[Number(custom_id.slice("line ".length))]!.grade(text);
  });
  expect(right.length).toBeGreaterThan(50);
  expect(await linesOf(batch.error_file_id)).toMatchObject([
    { custom_id: "line 60", response: { status_code: 404, body: { error: { code: "model_not_found" } } } },
  ]);
  expect(ledgerFaults(await farm.setup.ledgerCheck())).toEqual([]);
});

test("a file comes in parts", async () => {
  const content = Array.from({ length: 4 }, (_, index) =>
    request({ model: farm.modelId, messages: [{ role: "user", content: "7 + 5 =" }], max_tokens: 4 }, index),
  ).join("\n");
  const upload = await client.uploads.create({
    filename: "parts.jsonl",
    bytes: content.length,
    purpose: "batch",
    mime_type: "application/jsonl",
  });
  const partIds: string[] = [];
  for (const piece of [content.slice(0, 301), content.slice(301)]) {
    const data = await toFile(Buffer.from(piece), "part");
    partIds.push((await client.uploads.parts.create(upload.id, { data })).id);
  }
  const { file } = await client.uploads.complete(upload.id, { part_ids: partIds });
  const { id } = await client.batches.create({
    input_file_id: file!.id,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  });
  const batch = await until(id, ({ status }) => status === "completed");
  expect(batch.request_counts).toEqual({ total: 4, completed: 4, failed: 0 });
});

test("the client pages through batches and files, cancels one and deletes the other", async () => {
  const fileId = await upload(
    Array.from({ length: 3 }, (_, index) =>
      request({ model: farm.modelId, messages: [{ role: "user", content: "7 + 5 =" }] }, index),
    ),
  );
  const { id } = await client.batches.create({
    input_file_id: fileId,
    endpoint: "/v1/chat/completions",
    completion_window: "24h",
  });
  await client.batches.cancel(id);
  const batch = await until(id, ({ status }) => status === "cancelled" || status === "completed");
  const { total, completed, failed } = batch.request_counts!;
  expect(completed + failed).toBe(total);
  const batches: string[] = [];
  for await (const each of client.batches.list({ limit: 1 })) batches.push(each.id);
  expect(batches).toContain(id);
  await client.files.delete(fileId);
  const files: string[] = [];
  for await (const each of client.files.list({ limit: 1 })) files.push(each.id);
  expect(files).not.toContain(fileId);
});
