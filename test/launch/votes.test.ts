import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { Gleaner } from "@gleaner/client";
import { ConvexHttpClient } from "convex/browser";
import type OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { api } from "../../convex/_generated/api.js";
import { paths } from "../../launch/core/paths.ts";
import { makeClient } from "../../launch/farm/ask.ts";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";
import { readDemoModel } from "../../launch/organization/demo-model.ts";
import { makeSecret } from "../../launch/organization/secrets.ts";

/** Second opinions with the official client: a running backend, three donors, and two models. */
let farm: Farm;
let openai: OpenAI;
let convex: ConvexHttpClient;
let session: string;

const larger = "gleaner-larger";

beforeAll(async () => {
  farm = await startFarm();
  const manifest = await addLarger();
  const modelManifests = [join(paths.demoModel, "manifest.json"), manifest];
  for (const name of ["one", "two", "three"]) await farm.startDonor(`votes-${name}`, { modelManifests });
  openai = makeClient(farm.backend.siteUrl, farm.organization.apiKey);
  // Three runners start beside everything else. Once all three have answered, none waits for a load.
  while ((await votesNow()) !== 3) await sleep(1_000);
  await openai.chat.completions.create({ ...capital, model: larger });
}, 600_000);
afterAll(async () => {
  await farm.close();
});

const capital = {
  messages: [{ role: "user" as const, content: "What is the capital of Norway?" }],
  max_tokens: 32,
};

/** The demo model with zeros behind its end: a larger file with the same answers. @returns the path of its manifest. */
async function addLarger(): Promise<string> {
  const demo = await readDemoModel();
  const folder = join(farm.folder.path, "larger-model");
  await mkdir(folder);
  const bytes = Buffer.concat([await readFile(join(paths.demoModel, demo.file)), Buffer.alloc(65_536)]);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const manifest = { ...demo, id: larger, file: "larger.gguf", sha256, sizeBytes: bytes.length };
  await writeFile(join(folder, manifest.file), bytes);
  await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));

  convex = new ConvexHttpClient(farm.backend.url, { logger: false });
  session = makeSecret("gs_");
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await convex.mutation(api.console.account.signIn, { token, session });
  const { contextTokens, sizeBytes } = manifest;
  const entry = {
    modelId: larger,
    source: "bundled",
    sha256,
    sizeBytes,
    licence: "Apache-2.0",
    contextTokens,
    template: null,
    pieces: null,
  };
  const price = { promptMicro: 10n, completionMicro: 30n };
  await convex.mutation(api.console.models.add, { session, entry, price });
  return join(folder, "manifest.json");
}

type Opinion = {
  readonly votes: number;
  readonly agreed: number;
  readonly confidence: number | null;
  readonly escalated: boolean;
};

const opinionOf = (body: object): Opinion | undefined => (body as { readonly x_gleaner?: Opinion }).x_gleaner;

/** Fields that OpenAI's types do not have are sent as they are. */
const votes = (count: number, more: object = {}): object => ({ x_gleaner: { votes: count, ...more } });

async function ask(fields: object) {
  const body = {
    model: farm.modelId,
    ...capital,
    ...fields,
  } as OpenAI.ChatCompletionCreateParamsNonStreaming;
  const { data, response } = await openai.chat.completions.create(body).withResponse();
  const jobIds = response.headers.get("x-gleaner-job")?.split(", ") ?? [];
  return { data, text: data.choices[0]?.message.content ?? "", opinion: opinionOf(data), jobIds };
}

/** How many devices answer. A call may end before the first device is ready. */
async function votesNow(): Promise<number> {
  const asked = await ask({ temperature: 0.1, ...votes(3) }).catch(() => null);
  return asked?.opinion?.votes ?? 0;
}

async function deviceOf(jobId: string): Promise<string | undefined> {
  const { attempts } = await convex.query(api.console.jobs.get, { session, jobId });
  return attempts.find(({ status }) => status === "succeeded")?.deviceName;
}

test("three devices answer, and the client gets what they agree on", async () => {
  const { text, opinion, jobIds, data } = await ask({ temperature: 0.1, ...votes(3) });
  expect(text).toContain("Oslo");
  expect(opinion).toMatchObject({ votes: 3, agreed: 3, escalated: false });
  expect(opinion?.confidence).toBeGreaterThan(0.6);
  expect(jobIds).toHaveLength(3);
  expect(new Set(await Promise.all(jobIds.map(deviceOf)))).toEqual(
    new Set(["votes-one", "votes-two", "votes-three"]),
  );
  const alone = await openai.chat.completions.create({ ...capital, model: farm.modelId, temperature: 0.1 });
  expect(data.usage?.prompt_tokens).toBe(3 * (alone.usage?.prompt_tokens ?? 0));
});

test("the typed client and the command ask the three devices, too", async () => {
  const access = { url: farm.backend.siteUrl, apiKey: farm.organization.apiKey };
  const gleaner = new Gleaner(access);
  const request = { ...capital, model: farm.modelId, temperature: 0.1, x_gleaner: { votes: 3 } };
  const answer = await gleaner.ask("chat/completions", request);
  expect(answer.choices[0]?.message.content).toContain("Oslo");
  expect(answer.x_gleaner).toMatchObject({ votes: 3, agreed: 3, escalated: false });
  const { id } = await gleaner.submit("chat/completions", request);
  const later = await gleaner.answer<"chat/completions">(id);
  expect(later.choices[0]?.message.content).toContain("Oslo");
  expect(later.x_gleaner?.escalated).toBe(false);
  expect(later.x_gleaner?.agreed).toBeGreaterThan(1);
  await gleaner.close();
  const flags = ["--temperature", "0.1", "--votes", "3"];
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["cli/gleaner.ts", "chat", capital.messages[0]!.content, "--model", farm.modelId, ...flags],
    { env: { ...process.env, GLEANER_BASE_URL: `${access.url}/v1`, GLEANER_API_KEY: access.apiKey } },
  );
  expect(stdout).toContain("Oslo");
  // On a busy machine the third device may be too slow to be asked.
  expect(stderr).toMatch(/^([23]) of \1 devices agree on this answer\. Confidence: \d+%\.\n$/);
});

test("JSON that follows a schema is compared by its values", async () => {
  const schema = {
    type: "object",
    properties: { name: { type: "string" }, city: { type: "string" } },
    required: ["name", "city"],
    additionalProperties: false,
  };
  const { text, opinion } = await ask({
    messages: [
      { role: "user", content: "Return JSON with name and city: Clara Novak moved to Lisbon last year." },
    ],
    response_format: { type: "json_schema", json_schema: { name: "person", schema, strict: true } },
    temperature: 0.1,
    ...votes(3),
  });
  expect(JSON.parse(text)).toEqual({ name: "Clara Novak", city: "Lisbon" });
  expect(opinion).toMatchObject({ votes: 3, agreed: 3, escalated: false });
});

const wild = {
  messages: [{ role: "user" as const, content: "Write a short email to Karen about the invoice." }],
  temperature: 2,
  // Without a seed two of three answers agree now and then.
  seed: 7,
  max_tokens: 24,
};

test("if they disagree, the larger model answers", async () => {
  const { data, opinion, jobIds, text } = await ask({ ...wild, ...votes(3) });
  expect(data.model).toBe(larger);
  expect(text).not.toBe("");
  expect(opinion).toMatchObject({ votes: 3, confidence: null, escalated: true });
  expect(jobIds).toHaveLength(4);
  expect(data.id).toBe(`chatcmpl-${jobIds[3]}`);
});

test("if they disagree and no larger model is asked, the confidence is low", async () => {
  const { data, opinion } = await ask({ ...wild, ...votes(3, { escalate: false }) });
  expect(data.model).toBe(farm.modelId);
  expect(opinion).toMatchObject({ votes: 3, agreed: 1, escalated: false });
  expect(opinion?.confidence).toBeLessThan(0.5);
});

test("the answer can be streamed, in one piece", async () => {
  const stream = await openai.chat.completions.create({
    model: farm.modelId,
    ...capital,
    temperature: 0.1,
    stream: true,
    stream_options: { include_usage: true },
    ...votes(3),
  });
  const pieces: string[] = [];
  let opinion: Opinion | undefined;
  let usage: OpenAI.CompletionUsage | undefined;
  for await (const chunk of stream) {
    const { content } = chunk.choices[0]?.delta ?? {};
    if (content != null && content !== "") pieces.push(content);
    opinion = opinionOf(chunk) ?? opinion;
    usage = chunk.usage ?? usage;
  }
  expect(pieces).toEqual([expect.stringContaining("Oslo")]);
  expect(opinion).toMatchObject({ votes: 3, agreed: 3, escalated: false });
  expect(usage?.completion_tokens).toBeGreaterThan(3);
});

test("more devices than there are do not delay the answer", async () => {
  const { opinion } = await ask({ temperature: 0.1, ...votes(5) });
  expect(opinion).toMatchObject({ votes: 3, agreed: 3 });
});
