import type { ClaimedJob } from "@gleaner/queue/validators";
import { beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../app/jobs/limits.ts";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  completeWith,
  type Device,
  expectBooksInOrder,
  fail,
  modelId,
  type Organization,
  startBackend,
  statusOf,
  take,
} from "./backend.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
});

/** Each input is a number, and so is its vector. */
const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at));

async function embed(body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return await t.fetch("/v1/embeddings", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${acme.apiKey}`, ...headers },
    body: JSON.stringify({ model: modelId, ...body }),
  });
}

async function submitted(count: number): Promise<void> {
  await expect.poll(async () => (await allJobs(t, acme)).length).toBe(count);
}

/** Waits for the jobs of a call, and takes all of them, in the order of the inputs. */
async function takeAll(count: number): Promise<readonly ClaimedJob[]> {
  await submitted(count);
  const taken: ClaimedJob[] = [];
  while (taken.length < count) taken.push(...(await take(t, device, count - taken.length)));
  return taken.toSorted((a, b) => firstInput(a) - firstInput(b));
}

async function answerJob({ attemptId, payload }: ClaimedJob): Promise<void> {
  const { inputs } = payload as { inputs: string[] };
  const embeddings = inputs.map((input) =>
    Buffer.from(new Uint8Array(Float32Array.of(Number(input)).buffer)).toString("base64"),
  );
  await completeWith(t, device, attemptId, {
    result: { embeddings },
    report: {
      usage: { promptTokens: inputs.length, completionTokens: 0 },
      timing: { prefillMs: 1, generateMs: 0 },
    },
  });
}

type Body = {
  readonly data: readonly { readonly index: number; readonly embedding: readonly number[] }[];
  readonly usage: object;
};

describe("embeddings of many inputs", () => {
  it("come in the order of the inputs, from several jobs that end in any order", async () => {
    const asked = embed({ input: numbers(70) });
    for (const job of (await takeAll(3)).toReversed()) await answerJob(job);
    const response = await asked;
    const { data, usage } = (await response.json()) as Body;
    expect(data.map(({ index, embedding }) => [index, ...embedding])).toEqual(
      numbers(70).map((_, at) => [at, at]),
    );
    expect(usage).toEqual({ prompt_tokens: 70, total_tokens: 70 });
    const jobs = await allJobs(t, acme);
    expect(response.headers.get("x-gleaner-job")?.split(", ").toSorted()).toEqual(
      jobs.map(({ jobId }) => jobId).toSorted(),
    );
    const orders = await t.run(async (ctx) => await ctx.db.query("orders").collect());
    const paid = orders.reduce((sum, { priceMicro = 0n }) => sum + priceMicro, 0n);
    expect(response.headers.get("x-gleaner-price")).toBe(String(paid));
    expect(paid).toBeGreaterThan(0n);
    await expectBooksInOrder(t);
  });

  it("may be as many as a call of OpenAI's API has", async () => {
    const most = limits.embeddingInputsOfCall;
    const asked = embed({ input: numbers(most), encoding_format: "base64" });
    const jobs = most / limits.embeddingInputsOfPart;
    await submitted(jobs);
    for (let done = 0; done < jobs;) {
      const taken = await take(t, device, 4);
      for (const job of taken) await answerJob(job);
      done += taken.length;
    }
    const { data } = (await (await asked).json()) as { data: { embedding: string }[] };
    const last = Buffer.from(data.at(-1)?.embedding ?? "", "base64");
    expect([data.length, last.readFloatLE(0)]).toEqual([most, most - 1]);
    await expectError(await embed({ input: numbers(most + 1) }), 400, { param: "input" });
  });

  it("are made and paid once for a repeated idempotency key, and for no other call", async () => {
    const key = { "idempotency-key": "k1" };
    const asked = embed({ input: numbers(40) }, key);
    for (const job of await takeAll(2)) await answerJob(job);
    const first = (await (await asked).json()) as Body;
    expect(await (await embed({ input: numbers(40) }, key)).json()).toEqual(first);
    expect(await allJobs(t, acme)).toHaveLength(2);
    // Its first job would be the same.
    const other = await embed({ input: [...numbers(39), "other"] }, key);
    await expectError(other, 409, { code: "idempotency_conflict" });
    expect(await allJobs(t, acme)).toHaveLength(2);
    await expectBooksInOrder(t);
  });

  it("are none if one job fails, and the jobs that have not ended are canceled", async () => {
    const asked = embed({ input: numbers(90) });
    const [first, second, third] = await takeAll(3);
    await answerJob(first!);
    const error = { code: "result_too_large", message: "Ask for fewer.", retryable: false };
    // The one before it goes on.
    await fail(t, device, third!.attemptId, error);
    await expectError(await asked, 400, { code: "result_too_large", param: "input" });
    expect(await statusOf(t, acme, first!.jobId)).toBe("succeeded");
    expect(await statusOf(t, acme, second!.jobId)).toBe("canceled");
    await expectBooksInOrder(t);
  });

  it("are refused as a whole if the key has too few credits for all of them", async () => {
    acme = await addOrganization(t, { name: "Poor", creditsMicro: 800n });
    await addDevice(t, acme);
    const refused = await embed({ input: numbers(70) });
    expect(await refused.clone().text()).toMatch(
      /The request, with the first 2 of its jobs, may cost up to 0\.00\d+ credits, but the API key has 0\.0008\./,
    );
    await expectError(refused, 429, { code: "insufficient_quota" });
    expect(await allJobs(t, acme)).toEqual([]);
    await expectBooksInOrder(t);
  });

  it("are refused if the answer would be too large", async () => {
    const asked = embed({ input: numbers(288) });
    const [job] = await takeAll(9);
    const vector = Buffer.alloc(4 * 3_000).toString("base64");
    await completeWith(t, device, job!.attemptId, {
      result: { embeddings: Array<string>(32).fill(vector) },
      report: { usage: { promptTokens: 32, completionTokens: 0 }, timing: { prefillMs: 1, generateMs: 0 } },
    });
    await expectError(await asked, 400, { code: "result_too_large", param: "input" });
    const open = (await allJobs(t, acme)).filter(({ status }) => status !== "succeeded");
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set(["canceled"]));
  });

  it("count as a call for each of their jobs", async () => {
    const most = { input: numbers(limits.embeddingInputsOfCall) };
    const calls = [];
    // More calls than the burst of a key may have. They are added up a moment later.
    for (let call = 0; call < 4; call += 1) calls.push((await embed(most, { prefer: "wait=1" })).status);
    expect(calls[0]).toBe(503);
    expect(calls).toContain(429);
  });
});

function firstInput({ payload }: ClaimedJob): number {
  return Number((payload as { inputs: string[] }).inputs[0]);
}
