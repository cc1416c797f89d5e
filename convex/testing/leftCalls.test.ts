import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import { expectError } from "./apiError.fixture.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  chat as chatRequest,
  type Device,
  expectBooksInOrder,
  modelId,
  type Organization,
  startBackend,
} from "./backend.fixture.ts";
import { takeJob } from "./simDevice.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"], shouldAdvanceTime: true });
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
});

const chat = (content: string) => ({ model: modelId, messages: [{ role: "user", content }] });
const sdk = { "user-agent": "OpenAI/JS 6.1.0", "x-stainless-runtime": "node" };
const retry = { ...sdk, "x-stainless-retry-count": "1" };
type Headers = Readonly<Record<string, string>>;

async function post(content: string, headers: Headers = sdk, apiKey = acme.apiKey): Promise<Response> {
  return await t.fetch("/v1/chat/completions", {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, ...headers },
    body: JSON.stringify(chat(content)),
  });
}

const statuses = async () => (await allJobs(t, acme)).map(({ status }) => status).sort();
const waits = async () => await t.run(async (ctx) => await ctx.db.query("waits").collect());
const skip = (ms: number) => vi.setSystemTime(Date.now() + ms);
const answerNext = async (text: string) =>
  await takeJob(t, device, async ({ complete }) => await complete(text));

/** Sends a request, and lets time pass until its call counts as a waiting one. */
async function waiting(content: string, headers: Headers = sdk) {
  const before = (await waits()).length;
  const jobs = (await allJobs(t, acme)).length;
  const asked = post(content, headers);
  if (headers !== retry) await expect.poll(async () => (await allJobs(t, acme)).length).toBe(jobs + 1);
  else await new Promise((resolve) => setTimeout(resolve, 200));
  skip(6_000);
  await expect.poll(async () => (await waits()).length).toBe(before + 1);
  return { asked, until: Math.max(...(await waits()).map(({ until }) => until)) };
}

/** Lets the scheduled end of left calls come. */
async function endLeftCalls(): Promise<void> {
  const left = await t.run(async (ctx) => await ctx.db.query("leftCalls").collect());
  for (const { _id: leftId } of left) await t.mutation(internal.requests.endLeftCall, { leftId });
}

describe("a whole call of a client that gives up after 300 s", () => {
  it("ends earlier, says why, and its repeated request gets the same job", async () => {
    const activity = { kind: "holding", reason: "in-use" } as const;
    await t.mutation(api.devices.report, { key: device.key, activity });
    const since = Date.now();
    const { asked, until } = await waiting("Name a color.");
    expect(until - since).toBeLessThan(300_000);
    skip(270_000);
    const response = await asked;
    expect(response.headers.get("retry-after")).toBe("1");
    const jobId = response.headers.get("x-gleaner-job");
    expect(response.headers.get("x-gleaner-devices-ready")).toBe("0");
    const why =
      "No device of your organization donates at the moment: 1 is in use or waits by its own rules.";
    expect(await response.clone().text()).toContain(why);
    await expectError(response, 503, { code: "no_capacity" });
    const again = post("Name a color.", retry);
    await answerNext("Blue.");
    const answered = await again;
    expect(answered.headers.get("x-gleaner-job")).toBe(jobId);
    expect(await answered.json()).toMatchObject({ choices: [{ message: { content: "Blue." } }] });
    await endLeftCalls();
    expect(await statuses()).toEqual(["succeeded"]);
    await expectBooksInOrder(t);
  });

  it("waits for as long as it asks to, and its job ends with it", async () => {
    const since = Date.now();
    const { asked, until } = await waiting("Name a color.", { ...sdk, prefer: "wait=540" });
    expect(until - since).toBeGreaterThanOrEqual(540_000);
    skip(540_000);
    expect(await (await asked).text()).toContain("It was canceled.");
    expect(await statuses()).toEqual(["canceled"]);
  });
});

describe("the job of a call that gave up", () => {
  async function leave(content: string): Promise<string> {
    const { asked } = await waiting(content);
    skip(270_000);
    const response = await asked;
    expect(response.status).toBe(503);
    return String(response.headers.get("x-gleaner-job"));
  }

  it("is canceled after a while if nobody asks for it again", async () => {
    await leave("Name a color.");
    expect(await statuses()).toEqual(["ready"]);
    await endLeftCalls();
    expect(await statuses()).toEqual(["canceled"]);
    await expectBooksInOrder(t);
    const next = post("Name a color.", retry);
    await answerNext("Red.");
    expect((await next).status).toBe(200);
    expect(await statuses()).toEqual(["canceled", "succeeded"]);
  });

  it("is not given to another request, nor to another key", async () => {
    const jobId = await leave("Name a color.");
    const other = await addOrganization(t, { name: "Other" });
    const otherDevice = await addDevice(t, other);
    const [fruit, foreign] = [post("Name a fruit.", retry), post("Name a color.", retry, other.apiKey)];
    await expect.poll(async () => (await allJobs(t, acme)).length).toBe(2);
    await takeJob(t, otherDevice, async ({ complete }) => await complete("Red."));
    expect((await foreign).status).toBe(200);
    const mine = post("Name a color.");
    for (let n = 0; n < 2; n += 1)
      await takeJob(t, device, async ({ prompt, complete }) => await complete(`About: ${prompt}`));
    const answered = await mine;
    expect(answered.headers.get("x-gleaner-job")).toBe(jobId);
    expect(await answered.json()).toMatchObject({
      choices: [{ message: { content: "About: Name a color." } }],
    });
    expect((await fruit).status).toBe(200);
    expect(await allJobs(t, acme)).toHaveLength(2);
  });

  it("is not given to anybody once it was canceled, as by a restart of the backend", async () => {
    await leave("Name a color.");
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    await t.mutation(internal.requests.beginWaitAdmitted, { keyId, until: Date.now() + 540_000 });
    await t.mutation(internal.maintenance.cancelCutOffCalls, {});
    expect(await statuses()).toEqual(["canceled"]);
    // The calls of before the restart wait no more.
    expect(await waits()).toEqual([]);
    const next = post("Name a color.", retry);
    await answerNext("Red.");
    expect((await next).status).toBe(200);
  });
});

describe("a retry in the first seconds of its call", () => {
  const askedAtOnce = async () => {
    const first = post("Name a color.");
    await expect.poll(async () => (await allJobs(t, acme)).length).toBe(1);
    const again = post("Name a color.", retry);
    await expect.poll(async () => (await waits()).length).toBe(1);
    return { first, again };
  };

  it("gets the job of the first try, whose call does not count as waiting yet", async () => {
    const { first, again } = await askedAtOnce();
    expect(await statuses()).toEqual(["ready"]);
    await answerNext("Blue.");
    const answers = await Promise.all([first, again]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const [one, other] = answers.map(({ headers }) => headers.get("x-gleaner-job"));
    expect(other).toBe(one);
    expect(await waits()).toEqual([]);
    await expectBooksInOrder(t);
    // The job has ended, so the next retry is a new request.
    const next = post("Name a color.", retry);
    await answerNext("Red.");
    expect((await next).headers.get("x-gleaner-job")).not.toBe(one);
  });

  it("keeps the job although the first call is noticed to have left, and nobody else gets it", async () => {
    const { first, again } = await askedAtOnce();
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    const [{ jobId = "", request = "" } = {}] = await waits();
    await t.mutation(internal.requests.leaveAdmitted, { keyId, jobId, request });
    expect(await t.run(async (ctx) => await ctx.db.query("leftCalls").collect())).toEqual([]);
    const other = post("Name a color.");
    await expect.poll(async () => (await allJobs(t, acme)).length).toBe(2);
    for (const color of ["Blue.", "Red."]) await answerNext(color);
    const [one, two, three] = await Promise.all([first, again, other]);
    expect(two.headers.get("x-gleaner-job")).toBe(one.headers.get("x-gleaner-job"));
    expect(three.headers.get("x-gleaner-job")).not.toBe(one.headers.get("x-gleaner-job"));
  });

  it("finds the job that it took up if it is submitted twice, as after a conflict", async () => {
    const first = post("Name a color.");
    await expect.poll(async () => (await allJobs(t, acme)).length).toBe(1);
    const [order] = await t.run(async (ctx) => await ctx.db.query("orders").collect());
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    const { jobId } = order!;
    const hash = String(order!.request);
    await t.mutation(internal.requests.leaveAdmitted, { keyId, jobId, request: hash });
    const submission = {
      keyId,
      model: modelId,
      work: { kind: "chat" as const, request: chatRequest("Name a color.") },
      stream: false,
      idempotencyKey: "of-the-call",
      endsWithCall: true,
      request: { hash, isRetry: false, until: Date.now() + 60_000 },
    };
    const taken = await t.mutation(internal.requests.submit, { ...submission, handOver: true });
    expect(taken).toMatchObject({ jobId, waitId: expect.any(String) });
    expect(await t.mutation(internal.requests.submit, submission)).toEqual(taken);
    await answerNext("Blue.");
    expect((await first).status).toBe(200);
    expect(await allJobs(t, acme)).toHaveLength(1);
  });
});

describe("equal requests under way", () => {
  it("are several jobs, unless one is a retry, which gets the job of the first", async () => {
    const calls = [await waiting("Name a color."), await waiting("Name a color.")].map(({ asked }) => asked);
    const { asked: retried } = await waiting("Name a color.", retry);
    expect(await statuses()).toEqual(["ready", "ready"]);
    await answerNext("Blue.");
    await answerNext("Red.");
    const answers = await Promise.all([...calls, retried]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [first, second, again] = answers.map(({ headers }) => headers.get("x-gleaner-job"));
    expect(second).not.toBe(first);
    expect(again).toBe(first);
  });

  it("do not get a job that others still wait for, because two retries of it have left", async () => {
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    const { asked: first } = await waiting("Name a color.");
    const [{ jobId } = { jobId: "" }] = await allJobs(t, acme);
    const [wait] = await waits();
    const left = { keyId, jobId, request: String(wait?.request) };
    await t.mutation(internal.requests.leaveAdmitted, left);
    await t.mutation(internal.requests.leaveAdmitted, left);
    const others = [await waiting("Name a color."), await waiting("Name a color.")].map(({ asked }) => asked);
    for (const color of ["Blue.", "Red.", "Green."]) await answerNext(color);
    const answers = await Promise.all([first, ...others]);
    expect(new Set(answers.map(({ headers }) => headers.get("x-gleaner-job"))).size).toBe(3);
  });

  it("keep their job while one of two calls still waits for it", async () => {
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    const { asked: first } = await waiting("Name a color.");
    const [{ jobId } = { jobId: "" }] = await allJobs(t, acme);
    const { asked: second } = await waiting("Name a color.", retry);
    // The first call's client has left.
    const [wait] = await waits();
    await t.mutation(internal.requests.leaveAdmitted, { keyId, jobId, request: String(wait?.request) });
    await endLeftCalls();
    expect(await statuses()).toEqual(["ready"]);
    await answerNext("Blue.");
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200]);
  });
});
