import { beforeEach, expect, it } from "vitest";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  type Device,
  expectBooksInOrder,
  fail,
  modelId,
  type Organization,
  startBackend,
} from "./backend.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
});

const chat = { model: modelId, messages: [{ role: "user", content: "Hi" }], seed: 7, n: 3 };

async function post(body: object, headers: object = {}, path = "/v1/chat/completions"): Promise<Response> {
  return await t.fetch(path, {
    method: "POST",
    headers: { authorization: `Bearer ${acme.apiKey}`, ...headers },
    body: JSON.stringify(body),
  });
}

/** Takes each job and answers with its seed. */
async function answerWithSeeds(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    await takeJob(t, device, async ({ request, complete }) => {
      if (!("seed" in request)) throw new Error("a job without a seed");
      await complete(`seed ${request.seed}`);
    });
  }
}

const statuses = async () => (await allJobs(t, acme)).map(({ status }) => status).toSorted();

it("answers with several choices, each from a job with a seed of its own", async () => {
  const asked = post(chat);
  await answerWithSeeds(3);
  const response = await asked;
  expect(response.status).toBe(200);
  const ids = response.headers.get("x-gleaner-job")?.split(", ") ?? [];
  expect(new Set(ids).size).toBe(3);
  expect(await response.json()).toMatchObject({
    id: `chatcmpl-${ids[0]}`,
    choices: [0, 1, 2].map((index) => ({ index, message: { content: `seed ${7 + index}` } })),
    usage: { prompt_tokens: 30, completion_tokens: 9, total_tokens: 39 },
  });
  // Three times 10 prompt tokens × 2 and 3 answer tokens × 6.
  expect(response.headers.get("x-gleaner-price")).toBe("114");
  await expectBooksInOrder(t);
});

it("completes a prompt in several ways", async () => {
  const asked = post({ model: modelId, prompt: "Once", seed: 7, n: 2 }, {}, "/v1/completions");
  await answerWithSeeds(2);
  expect(await (await asked).json()).toMatchObject({
    choices: [
      { index: 0, text: "seed 7" },
      { index: 1, text: "seed 8" },
    ],
  });
});

/** The chunks of a stream, of which only the last event is its end. */
async function chunksOf<Each>(response: Response): Promise<readonly Each[]> {
  const events = (await response.text()).split("\n\n").filter((event) => event.startsWith("data: "));
  expect(events.filter((event) => event === "data: [DONE]")).toEqual(events.slice(-1));
  return events.slice(0, -1).map((event) => JSON.parse(event.slice("data: ".length)) as Each);
}

/** Takes each job and answers with its prompt and its seed. */
async function answerWithPrompts(count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    await takeJob(t, device, async ({ request, prompt, complete }) => {
      if (!("seed" in request)) throw new Error("a job without a seed");
      await complete(`${prompt} ${String(request.seed)}`);
    });
  }
}

const completion = { model: modelId, prompt: ["One", "Two"], seed: 7, n: 2 };
const completed = ["One 7", "One 8", "Two 7", "Two 8"];

it("completes several prompts, whose choices follow each other", async () => {
  const asked = post(completion, {}, "/v1/completions");
  await answerWithPrompts(4);
  const response = await asked;
  expect(response.headers.get("x-gleaner-job")?.split(", ")).toHaveLength(4);
  expect(await response.json()).toMatchObject({
    choices: completed.map((text, index) => ({ index, text, finish_reason: "stop" })),
    usage: { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 },
  });
  await expectBooksInOrder(t);
});

it("streams the completions of several prompts as chunks of one answer", async () => {
  const asked = post(
    { ...completion, stream: true, stream_options: { include_usage: true } },
    {},
    "/v1/completions",
  );
  await answerWithPrompts(4);
  type TextChunk = {
    readonly choices: readonly { readonly index: number; readonly text: string }[];
    readonly usage: object | null;
  };
  const chunks = await chunksOf<TextChunk>(await asked);
  const texts = completed.map((_, at) =>
    chunks
      .flatMap(({ choices }) => choices.filter(({ index }) => index === at))
      .map(({ text }) => text)
      .join(""),
  );
  expect(texts).toEqual(completed);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 40, completion_tokens: 12 } });
});

type Chunk = {
  readonly id: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: { readonly content?: string };
    readonly finish_reason: string | null;
  }[];
  readonly usage: object | null;
};

it("streams all choices as chunks of one answer", async () => {
  const asked = post({ ...chat, n: 2, stream: true, stream_options: { include_usage: true } });
  await answerWithSeeds(2);
  const chunks = await chunksOf<Chunk>(await asked);
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  for (const index of [0, 1]) {
    const own = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index));
    expect(own.map(({ delta }) => delta.content ?? "").join("")).toBe(`seed ${7 + index}`);
    expect(own.map(({ finish_reason }) => finish_reason).filter((each) => each !== null)).toEqual(["stop"]);
  }
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 6 } });
  expect(chunks.filter(({ usage }) => usage !== null)).toHaveLength(1);
});

it.each([true, false])("fails as a whole if a choice fails, with stream: %s", async (stream) => {
  const asked = post({ ...chat, stream });
  await takeJob(
    t,
    device,
    async ({ attemptId }) => void (await fail(t, device, attemptId, { retryable: false })),
  );
  const response = await asked;
  const body = await response.text();
  expect(body).toContain('"code":"context_length_exceeded"');
  if (stream) expect(body.match(/"error":/g)).toHaveLength(1);
  else expect(response.status).toBe(400);
  await expect.poll(statuses).toEqual(["canceled", "canceled", "failed"]);
  await expectBooksInOrder(t);
});

it("finds all jobs again by the idempotency key", async () => {
  const headers = { "idempotency-key": "order-17" };
  const asked = post(chat, headers);
  await answerWithSeeds(3);
  const first = await asked;
  const again = await post(chat, headers);
  expect(again.headers.get("x-gleaner-job")).toBe(first.headers.get("x-gleaner-job"));
  const choicesIn = async (response: Response) => ((await response.json()) as Chunk).choices;
  expect(await choicesIn(again)).toEqual(await choicesIn(first));
  expect(await allJobs(t, acme)).toHaveLength(3);
});

it("submits none of the choices if the credits are too few for all, also with an idempotency key", async () => {
  await post({ ...chat, n: 1 }, { prefer: "respond-async" });
  const [one] = await t.run(async (ctx) => await ctx.db.query("orders").collect());
  const poor = await addOrganization(t, { name: "Poor", creditsMicro: one!.reservedMicro * 2n });
  await addDevice(t, poor);
  const headers = { authorization: `Bearer ${poor.apiKey}`, "idempotency-key": "order-17" };
  await expectError(await post(chat, headers), 429, { code: "insufficient_quota" });
  expect(await allJobs(t, poor)).toEqual([]);
});

it("refuses too many choices", async () => {
  await expectError(await post({ ...chat, n: 9 }), 400, { code: "invalid_value", param: "n" });
  expect(await allJobs(t, acme)).toEqual([]);
});
