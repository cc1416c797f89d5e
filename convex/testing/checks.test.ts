import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { callIdOf } from "../../app/jobs/stream-item.ts";
import { isOfVectors, parseReplay } from "../../app/trust/replay.ts";
import { isOnProbation } from "../../app/trust/standing.ts";
import { api, internal } from "../_generated/api.js";
import { balanceOf } from "../model/ledger/balance.ts";
import {
  checkAccount,
  deviceAccount,
  heldAccount,
  issuanceAccount,
  keyAccount,
} from "../model/ledger/transfer.ts";
import { orderOf } from "../model/orders/orders.ts";
import { queue } from "../model/queue.ts";
import { present } from "../model/refuse.ts";
import {
  addDevice,
  allJobs,
  type Backend,
  chat,
  claim,
  completeWith,
  countQueue,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  modelId,
  type Organization,
  pass,
  payloadOf,
  price,
  purgeQueue,
  statusOf,
  submitWork,
  take,
  tryClaim,
} from "./backend.fixture.ts";
import {
  addChecker,
  answerJob,
  answerText,
  answerUsage,
  casesOf,
  check,
  choose,
  chooseMode,
  completeJob,
  endProbation,
  fitting,
  noise,
  odd,
  replaysOf,
  report,
  standingOf,
  takeReplay,
} from "./checks.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let author: Device;
let checker: Device;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  author = await addChecker(t, acme, "author");
  checker = await addChecker(t, acme, "checker");
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
});

const micro = async (account: string): Promise<bigint> =>
  (await t.run(async (ctx) => await balanceOf(ctx, account))).micro;
const earned = async ({ deviceId }: Device): Promise<bigint> => await micro(deviceAccount(deviceId));
const held = async ({ deviceId }: Device): Promise<bigint> => await micro(heldAccount(deviceId));
/** The device's attempts as it sees them, newest first. */
const historyOf = async ({ key }: Device) =>
  (await t.query(api.devices.history, { key, paginationOpts: { numItems: 20, cursor: null } })).page;
/** The credits of the key, with those that corrections of wrong answers reserve. */
const keyMicro = async (): Promise<bigint> => {
  const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
  const orders = await t.run(async (ctx) => await ctx.db.query("orders").collect());
  const reserved = orders
    .filter(({ corrects }) => corrects !== undefined)
    .map((order) => order.reservedMicro);
  return (await micro(keyAccount(keyId))) + reserved.reduce((sum, each) => sum + each, 0n);
};
const mode = async (wanted: "off" | "watch" | "act"): Promise<void> => {
  await chooseMode(t, acme, wanted);
  await pass(t, 10);
};
const dispute = async (jobId: string): Promise<void> => {
  const rated = await t.fetch(`/v1/jobs/${jobId}/rating`, {
    method: "POST",
    headers: { authorization: `Bearer ${acme.apiKey}` },
    body: JSON.stringify({ rating: "bad", dispute: true }),
  });
  expect(rated.status).toBe(200);
};
const settle = async (jobId: string) =>
  await t.mutation(api.console.work.ratings.settle, { session, jobId, reason: "It is noise.", refund: true });
const pauseOf = async ({ deviceId }: Device) =>
  (await t.run(async (ctx) => await ctx.db.get("devices", deviceId)))?.pause ?? null;

const pay =
  BigInt(answerUsage.promptTokens) * price.promptMicro +
  BigInt(answerUsage.completionTokens) * price.completionMicro;
const readPay = BigInt(answerUsage.promptTokens + answerUsage.completionTokens) * price.promptMicro;

describe("which answers are checked", () => {
  it("a new device's answer is replayed by another device, and never by its author", async () => {
    const jobId = await answerJob(t, acme, author);
    expect(await replaysOf(t)).toEqual([]);
    await choose(t);
    const [replay] = await replaysOf(t);
    expect(replay).toMatchObject({ of: jobId, deviceId: author.deviceId, state: "waiting" });
    expect(await takeReplay(t, author)).toBeNull();
    expect(await tryClaim(t, author, replay!.jobId)).toEqual({ kind: "unable" });
    const taken = await takeReplay(t, checker);
    expect(taken).toMatchObject({ jobId: replay!.jobId, requirements: { model: modelId } });
    expect(await payloadOf(t, checker.key, taken!.attemptId)).toMatchObject({
      of: { kind: "chat", request: { messages: [{ role: "user", content: "Hi" }], seed: 7 } },
      answer: { text: answerText, finishReason: "stop" },
    });
    await report(t, checker, taken!.attemptId, fitting);
  });

  it("ratings of requesters count when a standing is shown, and are not stored in it", async () => {
    const jobId = await answerJob(t, acme, author);
    await choose(t);
    const rated = await t.fetch(`/v1/jobs/${jobId}/rating`, {
      method: "POST",
      headers: { authorization: `Bearer ${acme.apiKey}` },
      body: JSON.stringify({ rating: "bad" }),
    });
    expect(rated.status).toBe(200);
    const shown = await t.query(api.console.fleet.checks.standings, {
      session,
      deviceId: author.deviceId,
      now: Date.now(),
    });
    expect(shown.models).toMatchObject([{ modelId, counts: { criticized: 1 } }]);
    expect((await standingOf(t, author))?.standing.counts).not.toHaveProperty("criticized");
  });

  it("each answer is chosen once, however often jobs are counted", async () => {
    await answerJob(t, acme, author);
    await choose(t);
    await choose(t);
    expect(await replaysOf(t)).toHaveLength(1);
  });

  it("no answer is if it is off", async () => {
    await mode("off");
    await answerJob(t, acme, author);
    await choose(t);
    expect(await replaysOf(t)).toEqual([]);
    expect(await standingOf(t, author)).toBeNull();
  });

  it("none waits in the queue if no other device can replay it", async () => {
    const alone = await openWorld();
    const one = await addChecker(alone.t, alone.acme, "one");
    await addDevice(alone.t, alone.acme, "old program");
    await answerJob(alone.t, alone.acme, one);
    await choose(alone.t);
    expect(await replaysOf(alone.t)).toEqual([]);
    expect(await standingOf(alone.t, one)).toMatchObject({ standing: { counts: { result: 1 } } });
  });

  describe("in a required format", () => {
    const format = { kind: "grammar" as const, grammar: "root ::= [a-zA-Z .]*" };

    it("they are replayed with their grammar", async () => {
      const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request: { ...chat("Hi"), format } });
      await completeJob(t, author, jobId);
      await choose(t);
      const job = await takeReplay(t, checker);
      expect(job).toMatchObject({ payload: { of: { request: { format } }, answer: { text: answerText } } });
    });

    it("they tell nothing of a device if the grammar leaves no choice", async () => {
      await mode("act");
      const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request: { ...chat("Hi"), format } });
      await completeJob(t, author, jobId);
      await choose(t);
      const nothing = { tokens: 0, regret: 0, misses: 0, impossible: 0, logprob: 0 };
      await check(t, checker, nothing, { promptTokens: 10, completionTokens: 12 });
      expect(await replaysOf(t)).toMatchObject([{ state: "undone" }]);
      expect((await standingOf(t, author))?.standing.passed ?? 0).toBe(0);
      expect(await earned(author)).toBe(0n);
      expect(await held(author)).toBeGreaterThan(0n);
      expect(await casesOf(t)).toEqual([]);
    });
  });

  it("a checker that compares nothing does not end the case of another one", async () => {
    const others = [await addChecker(t, acme, "third"), await addChecker(t, acme, "fourth")] as const;
    await mode("act");
    const format = { kind: "grammar" as const, grammar: "root ::= [a-zA-Z .]*" };
    const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request: { ...chat("Hi"), format } });
    await completeJob(t, author, jobId);
    await choose(t);
    await check(t, checker, noise);
    await check(t, others[0], { tokens: 0, regret: 0, misses: 0, impossible: 0, logprob: 0 });
    expect(await casesOf(t)).toMatchObject([{ jobId, state: "open" }]);
    await check(t, others[1], noise);
    expect(await casesOf(t)).toMatchObject([{ jobId, state: "wrong" }]);
  });

  it("calls of tools are replayed with their arguments", async () => {
    const tools = [{ name: "look", parameters: '{"type":"object","properties":{}}' }];
    const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request: { ...chat("Hi"), tools } });
    const attemptId = await claim(t, author, jobId);
    await completeWith(t, author, attemptId, {
      result: {
        text: "",
        finishReason: "tool_calls",
        toolCalls: [{ id: callIdOf(jobId, 0), name: "look", arguments: "{}" }],
      },
      report: { usage: answerUsage, timing: { prefillMs: 5, generateMs: 20 } },
    });
    await choose(t);
    expect((await takeReplay(t, checker))?.payload).toMatchObject({
      answer: { text: "", finishReason: "tool_calls", toolCalls: [{ name: "look", arguments: "{}" }] },
    });
  });

  it("the tokens of an answer reach its checker, and not its requester", async () => {
    const written = "ABCDEFGHIJKL";
    const submitted = async () => await submitWork(t, acme.apiKey, { kind: "chat", request: chat("Hi") });
    const answered = (told: string) => ({
      result: { text: answerText, finishReason: "stop", written: told },
      report: { usage: { ...answerUsage }, timing: { prefillMs: 5, generateMs: 20 } },
    });
    const refused = await claim(t, author, await submitted());
    expect(await completeWith(t, author, refused, answered("ABC"))).toMatchObject({ kind: "refused" });
    const jobId = await submitted();
    const taken = await claim(t, author, jobId);
    expect(await completeWith(t, author, taken, answered(written))).toMatchObject({ kind: "completed" });
    const shown = await t.query(api.requests.watch, { apiKey: acme.apiKey, jobId });
    expect(shown.result).toMatchObject({ text: answerText });
    expect(
      JSON.stringify(shown, (_, value: unknown) => (typeof value === "bigint" ? "" : value)),
    ).not.toContain(written);
    await choose(t);
    expect((await takeReplay(t, checker))?.payload).toMatchObject({ answer: { text: answerText, written } });
  });

  it("only a device that could have got the job reads its text", async () => {
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    await t.run(async (ctx) => await ctx.db.patch("apiKeys", keyId, { dataClass: "medical" }));
    const third = await addChecker(t, acme, "third");
    for (const { deviceId } of [author, third]) {
      await t.mutation(api.console.devices.label, {
        session,
        deviceId,
        groups: [],
        dataClasses: ["medical"],
      });
    }
    await answerJob(t, acme, author);
    await choose(t);
    expect(await takeReplay(t, checker)).toBeNull();
    expect(await takeReplay(t, third)).toMatchObject({ requirements: { dataClass: "medical" } });
  });

  it("of vectors another device computes eight at most, and the answer is judged like a text", async () => {
    const third = await addChecker(t, acme, "third");
    const inputs = Array.from({ length: 20 }, (_, at) => `text ${String(at)}`);
    const jobId = await submitWork(t, acme.apiKey, { kind: "embedding", request: { inputs } });
    const embeddings = inputs.map((_, at) =>
      Buffer.from(new Float32Array([1, at]).buffer).toString("base64"),
    );
    await completeWith(t, author, await claim(t, author, jobId), {
      result: { embeddings },
      report: {
        usage: { promptTokens: 60, completionTokens: 0 },
        timing: { prefillMs: 5, generateMs: 0 },
      },
    });
    await choose(t);
    const job = present(await takeReplay(t, checker), "replay");
    const payload = parseReplay(job.payload);
    if (payload === null || !isOfVectors(payload)) throw new Error("not of vectors");
    const asked = payload.of.request.inputs.map((input) => inputs.findIndex((each) => each === input));
    expect(new Set(asked).size).toBe(8);
    expect(payload.answer.embeddings).toEqual(asked.map((at) => embeddings[at]));
    const wrong = { tokens: 80, regret: 60, misses: 70, impossible: 0, logprob: 0 };
    // No device compares more vectors than it was given.
    expect(await report(t, checker, job.attemptId, { ...wrong, tokens: 1_000 })).toMatchObject({
      kind: "refused",
    });
    await pass(t, 31_000);
    await check(t, third, wrong);
    expect(await casesOf(t)).toMatchObject([{ jobId, state: "open" }]);
  });

  it("at most four replays of a device wait", async () => {
    for (let each = 0; each < 6; each += 1) await answerJob(t, acme, author);
    await choose(t);
    expect(await replaysOf(t)).toHaveLength(4);
    expect(await standingOf(t, author)).toMatchObject({ waiting: 4, standing: { counts: { result: 2 } } });
  });

  it("a device with a good record is checked seldom, within the budget", async () => {
    for (let each = 0; each < 20; each += 1) {
      await answerJob(t, acme, author);
      await choose(t);
      const job = await takeReplay(t, checker);
      if (job !== null) await report(t, checker, job.attemptId, fitting);
    }
    const before = (await replaysOf(t)).length;
    for (let each = 0; each < 40; each += 1) await answerJob(t, acme, author);
    await choose(t);
    expect((await replaysOf(t)).length - before).toBeLessThan(20);
  });

  it("a replay shows up neither among the jobs of people nor among failed ones", async () => {
    await answerJob(t, acme, author);
    await choose(t);
    const paginationOpts = { numItems: 20, cursor: null };
    const jobs = await t.query(api.console.jobs.list, { session, paginationOpts });
    expect(jobs.page.map(({ kind }) => kind)).toEqual(["chat"]);
    expect((await allJobs(t, acme)).map(({ kind }) => kind)).toEqual(["replay", "chat"]);
  });
});

describe("what a check does", () => {
  it("one that fits is good for the device, and the organization pays the checker", async () => {
    const before = await keyMicro();
    await answerJob(t, acme, author);
    await choose(t);
    expect(await check(t, checker, fitting)).toMatchObject({
      kind: "completed",
      reply: { earnedMicro: readPay },
    });
    expect(await standingOf(t, author)).toMatchObject({ waiting: 0, standing: { counts: { fits: 1 } } });
    expect(await casesOf(t)).toEqual([]);
    expect(await earned(checker)).toBe(readPay);
    expect(await micro(checkAccount(acme.organizationId))).toBe(-readPay);
    expect(await keyMicro()).toBe(before - pay);
  });

  it("five that fit end the probation", async () => {
    await endProbation(t, acme, author, checker);
    expect(isOnProbation((await standingOf(t, author))!.standing)).toBe(false);
  });

  it("an odd one accuses nobody", async () => {
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, odd);
    expect(await standingOf(t, author)).toMatchObject({ standing: { counts: { unclear: 1 } } });
    expect(await casesOf(t)).toEqual([]);
  });

  it("two devices against one end a case, and nothing is taken while it only watches", async () => {
    const third = await addChecker(t, acme, "third");
    const jobId = await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, noise);
    expect(await casesOf(t)).toMatchObject([{ jobId, deviceId: author.deviceId, state: "open" }]);
    expect(await takeReplay(t, author)).toBeNull();
    expect(await takeReplay(t, checker)).toBeNull();
    await check(t, third, noise);
    const [ended] = await casesOf(t);
    expect(ended).toMatchObject({
      state: "wrong",
      voices: [{ deviceId: checker.deviceId }, { deviceId: third.deviceId }],
    });
    expect(await standingOf(t, author)).toMatchObject({ standing: { counts: { wrong: 1 } } });
    expect(await earned(author)).toBe(pay);
    expect(await pauseOf(author)).toBeNull();
  });

  it("one against one and the device's own word clears the device, and the first checker was wrong", async () => {
    const third = await addChecker(t, acme, "third");
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, noise);
    await check(t, third, fitting);
    expect(await casesOf(t)).toMatchObject([{ state: "right" }]);
    expect(await standingOf(t, author)).toMatchObject({ standing: { counts: { cleared: 1 } } });
    expect(await standingOf(t, checker)).toMatchObject({ standing: { counts: { misjudged: 1 } } });
  });

  it("a case that no third device can decide ends without a result", async () => {
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, noise);
    expect(await casesOf(t)).toMatchObject([{ state: "undecided" }]);
    expect((await standingOf(t, author))?.standing.counts).toEqual({});
  });

  it("answers that are all a little odd have a case together", async () => {
    const third = await addChecker(t, acme, "third");
    const little = { tokens: 12, regret: 2.4, misses: 2, impossible: 0, logprob: -20 };
    for (let each = 0; each < 3 && (await casesOf(t)).length === 0; each += 1) {
      await answerJob(t, acme, author);
      await choose(t);
      await check(t, checker, little);
    }
    expect(await casesOf(t)).toMatchObject([{ isSeries: true, state: "open" }]);
    await check(t, third, little);
    expect(await casesOf(t)).toMatchObject([{ state: "wrong" }]);
    expect(await standingOf(t, checker)).toBeNull();
  });

  it("a replay that no device had time for ends after some hours, and holds nothing against anybody", async () => {
    await answerJob(t, acme, author);
    await choose(t);
    vi.setSystemTime(Date.now() + 7 * 3_600_000);
    await t.mutation(internal.trust.checks.sweep, {});
    const [replay] = await replaysOf(t);
    expect(replay).toMatchObject({ state: "undone" });
    expect(await statusOf(t, acme, replay!.jobId)).toBe("canceled");
    expect((await standingOf(t, author))?.waiting).toBe(0);
  });

  it.each([
    ["more tokens than the answer has bytes", { ...fitting, tokens: 60 }],
    ["counts that contradict each other", { ...fitting, misses: 3, impossible: 5 }],
    ["more regret than tokens", { ...fitting, regret: 13 }],
    ["no tokens, though no grammar forces any", { ...fitting, tokens: 0, regret: 0, logprob: 0 }],
  ])("a report with %s is refused", async (_, counts) => {
    await answerJob(t, acme, author);
    await choose(t);
    const job = await takeReplay(t, checker);
    expect(await report(t, checker, job!.attemptId, counts)).toMatchObject({ kind: "refused" });
    expect(await earned(checker)).toBe(0n);
  });

  it("a report with another file than the model's is refused", async () => {
    await answerJob(t, acme, author);
    await choose(t);
    const job = await takeReplay(t, checker);
    const outcome = await report(t, checker, job!.attemptId, fitting, "cd".repeat(32));
    expect(outcome).toMatchObject({ kind: "refused" });
  });

  it("a replay is no answer to a request, and an answer is no replay", async () => {
    await answerJob(t, acme, author);
    await choose(t);
    const [replay] = await replaysOf(t);
    expect(await completeJob(t, checker, replay!.jobId)).toMatchObject({ kind: "refused" });
    const jobId = await submitWork(t, acme.apiKey, {
      kind: "chat",
      request: {
        messages: [{ role: "user", content: "Hi" }],
        maxTokens: 8,
        temperature: 0,
        topP: 1,
        seed: 7,
        stop: [],
      },
    });
    const claimed = await tryClaim(t, author, jobId);
    if (claimed.kind !== "claimed") throw new Error("not claimed");
    expect(await report(t, author, claimed.job.attemptId, fitting)).toMatchObject({ kind: "refused" });
  });

  it("the payload of a replay is deleted at its end", async () => {
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, fitting);
    const [replay] = await replaysOf(t);
    const kept = async () =>
      await t.run(async (ctx) => await queue.payload(ctx, acme.organizationId, replay!.jobId));
    vi.setSystemTime(Date.now() + 60_000);
    await purgeQueue(t);
    expect(await kept()).toBeNull();
  });

  it("a replay of data that is kept for an hour ends with that hour", async () => {
    const jobId = await answerJob(t, acme, author);
    await t.run(async (ctx) => {
      const order = present(await orderOf(ctx, jobId), "order");
      await ctx.db.patch("orders", order._id, { keptHours: 1 });
    });
    await choose(t);
    const [replay] = await replaysOf(t);
    await pass(t, 3_600_000);
    await countQueue(t);
    expect(await statusOf(t, acme, replay!.jobId)).toBe("expired");
    expect(await replaysOf(t)).toMatchObject([{ state: "undone" }]);
  });
});

describe("a device that answers without a text", () => {
  const empty = { text: "", usage: { promptTokens: 10, completionTokens: 1 } };
  /** The model begins with another token. */
  const missing = { tokens: 1, regret: 0.9, misses: 1, impossible: 0, logprob: -8 };
  const ended = { tokens: 1, regret: 0, misses: 0, impossible: 0, logprob: -0.1 };
  const counted = { promptTokens: 10, completionTokens: 0 };

  it("each time is found within four answers, paused, and paid nothing", async () => {
    const third = await addChecker(t, acme, "third");
    await mode("act");
    for (let each = 0; each < 4 && (await casesOf(t)).length === 0; each += 1) {
      await answerJob(t, acme, author, empty);
      await choose(t);
      await check(t, checker, missing, counted);
    }
    expect(await casesOf(t)).toMatchObject([{ isSeries: true, state: "open" }]);
    await check(t, third, missing, counted);
    expect(await casesOf(t)).toMatchObject([{ state: "wrong" }]);
    expect(await pauseOf(author)).toMatchObject({ cause: "wrong" });
    expect([await earned(author), await held(author)]).toEqual([0n, 0n]);
  });

  it("because the model writes none is not accused, and its probation ends", async () => {
    for (let each = 0; each < 5; each += 1) {
      await answerJob(t, acme, author, empty);
      await choose(t);
      await check(t, checker, ended, counted);
    }
    expect(await casesOf(t)).toEqual([]);
    expect(isOnProbation((await standingOf(t, author))!.standing)).toBe(false);
  });

  it("that may be the beginning of a call of a tool is not checked, so its pay waits for other answers", async () => {
    await mode("act");
    const tools = [{ name: "look" }];
    const request = { ...chat("Hi"), tools };
    const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request });
    await completeJob(t, author, jobId, empty);
    await choose(t);
    expect(await replaysOf(t)).toEqual([]);
    expect(await earned(author)).toBe(0n);
    expect(await held(author)).toBeGreaterThan(0n);
    await endProbation(t, acme, author, checker);
    expect(await held(author)).toBe(0n);
  });
});

describe("a device that reports more tokens than its answer has", () => {
  const claimed = { promptTokens: 10, completionTokens: 64 };
  /** As the usual answer has. Its end is not compared. */
  const counted = { promptTokens: 10, completionTokens: 12 };
  /** With the end of the answer. */
  const whole = { ...fitting, tokens: 13 };
  const byAll = async (usage: typeof claimed): Promise<void> => {
    await answerJob(t, acme, author, { usage });
    await choose(t);
  };

  it("is found by two checkers, and paused without a correction of its answer", async () => {
    const third = await addChecker(t, acme, "third");
    await mode("act");
    const before = await keyMicro();
    await byAll(claimed);
    await check(t, checker, whole, counted);
    expect(await casesOf(t)).toMatchObject([
      { state: "open", voices: [{ overclaim: { claimed, counted } }] },
    ]);
    await check(t, third, whole, counted);
    expect(await casesOf(t)).toMatchObject([{ state: "wrong", voices: [{}, { verdict: "mismatch" }] }]);
    expect((await standingOf(t, author))?.standing.counts).toEqual({ overclaimed: 1 });
    await t.mutation(internal.maintenance.judgeDevice, { keyHash: await queue.hashKey(author.key) });
    expect(await pauseOf(author)).toMatchObject({ cause: "overclaimed", failed: 1, of: 1 });
    expect(await held(author)).toBe(0n);
    expect(await earned(author)).toBe(0n);
    expect(await keyMicro()).toBe(before);
    const orders = await t.run(async (ctx) => await ctx.db.query("orders").collect());
    expect(orders.map(({ corrects, foundWrong }) => [corrects, foundWrong])).toEqual([
      [undefined, undefined],
    ]);
    const told = (await t.query(api.devices.earnings, { key: author.key, since: 0 })).checks;
    expect(told).toEqual({ heldMicro: "0", wrong: 0, overclaimed: 1, unchecked: false });
    const paginationOpts = { numItems: 20, cursor: null };
    const shown = await t.query(api.console.fleet.checks.cases, { session, paginationOpts });
    expect(shown.page).toMatchObject([{ voices: [{ overclaim: { claimed, counted } }, {}] }]);
  });

  it("is found by the tokens of the prompt, too", async () => {
    const third = await addChecker(t, acme, "third");
    await byAll({ promptTokens: 200, completionTokens: 12 });
    for (const each of [checker, third]) await check(t, each, whole, counted);
    expect(await casesOf(t)).toMatchObject([{ state: "wrong" }]);
  });

  it("is cleared by a checker that counts about as many, and not by one that counts nothing", async () => {
    const [third, fourth] = [await addChecker(t, acme, "third"), await addChecker(t, acme, "fourth")];
    await byAll(claimed);
    await check(t, checker, whole, counted);
    await check(t, third, fitting);
    expect(await casesOf(t)).toMatchObject([{ state: "open", voices: [{}, { verdict: "unclear" }] }]);
    expect(await standingOf(t, checker)).toBeNull();
    await check(t, fourth, { ...fitting, tokens: 33 }, { promptTokens: 10, completionTokens: 33 });
    expect(await casesOf(t)).toMatchObject([{ state: "right" }]);
    expect(await standingOf(t, author)).toMatchObject({ standing: { counts: { cleared: 1 } } });
  });

  it.each([
    ["of a checker that does not count", undefined],
    ["that are a little more than the checker counts", { promptTokens: 9, completionTokens: 12 }],
  ])("is not accused by counts %s", async (_, byChecker) => {
    await byAll({ promptTokens: 10, completionTokens: 14 });
    await check(t, checker, whole, byChecker);
    expect(await casesOf(t)).toEqual([]);
    expect(await standingOf(t, author)).toMatchObject({ standing: { counts: { fits: 1 } } });
  });

  it("is not accused by a report whose counts cannot be", async () => {
    await byAll(claimed);
    const job = present(await takeReplay(t, checker), "replay");
    const byChecker = { promptTokens: 10, completionTokens: 3 };
    const outcome = await report(t, checker, job.attemptId, whole, undefined, byChecker);
    expect(outcome).toMatchObject({ kind: "refused" });
    expect(await casesOf(t)).toEqual([]);
  });
});

describe("an organization that acts", () => {
  beforeEach(async () => {
    await mode("act");
  });

  it("holds the pay of a new device until five of its answers fit", async () => {
    for (let each = 0n; each < 5n; each += 1n) {
      expect(await held(author)).toBe(each * pay);
      await answerJob(t, acme, author);
      await choose(t);
      expect(await earned(author)).toBe(0n);
      await check(t, checker, fitting);
    }
    expect(await earned(author)).toBe(5n * pay);
    expect(await held(author)).toBe(0n);
  });

  it("says so to the device, until the pay is released", async () => {
    await answerJob(t, acme, author);
    const [waiting] = await historyOf(author);
    expect(waiting?.explanation).toMatch(/It is held until checks have decided about this device’s answers$/);
    await choose(t);
    await check(t, checker, fitting);
    await endProbation(t, acme, author, checker);
    const [released] = await historyOf(author);
    expect(released).toMatchObject({ earnedMicro: String(pay), status: "succeeded" });
    expect(released?.explanation).not.toContain("held");
  });

  it("tells a device with a wrong answer that its held answers are not paid", async () => {
    const third = await addChecker(t, acme, "third");
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, noise);
    await check(t, third, noise);
    const [refused] = await historyOf(author);
    expect(refused?.earnedMicro).toBe("0");
    expect(refused?.explanation).toMatch(
      /It is not paid: checks found an answer of this device, or its tokens, wrong$/,
    );
    const inConsole = await t.query(api.console.devices.attempts, {
      session,
      deviceId: author.deviceId,
      paginationOpts: { numItems: 5, cursor: null },
    });
    expect(inConsole.page).toMatchObject([{ earnedMicro: "0", explanation: refused?.explanation }]);
  });

  it("tells the owner of a device how much pay waits, beside the credits that are available", async () => {
    const ada = await joinAs(t, session, { name: "Ada", roles: ["donor"] });
    const { deviceId } = author;
    await t.mutation(api.console.devices.setOwner, { session, deviceId, owner: ada.memberId });
    const mine = async () => await t.query(api.console.money.credits.mine, { session: ada.session });
    expect((await mine()).heldMicro).toBe(0n);
    await answerJob(t, acme, author);
    expect(await mine()).toMatchObject({ heldMicro: pay, availableMicro: 0n });
  });

  it("tells a device how it stands with a model and why, but not when its answers are replayed", async () => {
    const standingsOf = async ({ key }: Device) =>
      (await t.query(api.devices.earningsByDay, { key })).standings;
    expect(await standingsOf(author)).toEqual([]);
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, fitting);
    expect(await standingsOf(author)).toEqual([{ modelId, rank: "new", passed: 1, counts: {} }]);
    expect(await standingsOf(checker)).toEqual([]);
    await endProbation(t, acme, author, checker);
    const known = [{ modelId, rank: "good", passed: 5, counts: {} }];
    expect(await standingsOf(author)).toEqual(known);
    await answerJob(t, acme, author);
    await choose(t);
    expect(await standingsOf(author)).toEqual(known);
  });

  it("tells the members of a team how much pay of its devices waits", async () => {
    const ada = await joinAs(t, session, { name: "Ada", roles: ["donor"] });
    const { teamId } = await t.mutation(api.console.people.createTeam, { session, name: "Lab" });
    await t.mutation(api.console.people.setTeams, { session, memberId: ada.memberId, teamIds: [teamId] });
    await t.mutation(api.console.devices.setOwner, { session, deviceId: author.deviceId, owner: teamId });
    const mine = async () => await t.query(api.console.money.credits.mine, { session: ada.session });
    await answerJob(t, acme, author);
    expect(await mine()).toMatchObject({ heldMicro: 0n, teams: [{ heldMicro: pay, availableMicro: 0n }] });
  });

  it("pays at once after the probation, and releases what was held besides", async () => {
    for (let each = 0; each < 6; each += 1) await answerJob(t, acme, author);
    await choose(t);
    for (let each = 0; each < 4; each += 1) await check(t, checker, fitting);
    expect(await held(author)).toBe(6n * pay);
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, fitting);
    expect(await held(author)).toBe(0n);
    expect(await earned(author)).toBe(7n * pay);
    await answerJob(t, acme, author);
    expect(await earned(author)).toBe(8n * pay);
  });

  it("gives the price of a wrong answer back, and that of all held ones, and pauses the device", async () => {
    const third = await addChecker(t, acme, "third");
    const before = await keyMicro();
    for (let each = 0; each < 2; each += 1) await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, noise);
    expect(await held(author)).toBe(2n * pay);
    // The third device may get the other answer's replay first.
    for (let each = 0; each < 3 && (await casesOf(t))[0]?.state === "open"; each += 1)
      await check(t, third, noise);
    expect((await casesOf(t))[0]).toMatchObject({ state: "wrong" });
    expect(await earned(author)).toBe(0n);
    expect(await held(author)).toBe(0n);
    expect(await keyMicro()).toBe(before);
    expect(await pauseOf(author)).toMatchObject({ cause: "wrong" });
    expect(await t.query(api.devices.me, { key: author.key })).toMatchObject({ status: "paused" });
  });

  it("holds the pay of a new device for its checks, and refuses it if an answer of that device is wrong", async () => {
    const third = await addChecker(t, acme, "third");
    const paidBefore = await micro(checkAccount(acme.organizationId));
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, fitting);
    expect(await held(checker)).toBe(readPay);
    expect(await earned(checker)).toBe(0n);
    await answerJob(t, acme, checker);
    await choose(t);
    await check(t, author, noise);
    await check(t, third, noise);
    expect(await casesOf(t)).toMatchObject([{ deviceId: checker.deviceId, state: "wrong" }]);
    expect(await held(checker)).toBe(0n);
    expect(await earned(checker)).toBe(0n);
    // It paid the other two.
    expect(await micro(checkAccount(acme.organizationId))).toBe(paidBefore - 2n * readPay);
    const [ofAnswer, ofCheck] = await historyOf(checker);
    for (const row of [ofAnswer, ofCheck]) expect(row?.explanation).toContain("It is not paid");
  });

  it("gives the price of a wrong answer back once, also if its requester disputes it", async () => {
    const third = await addChecker(t, acme, "third");
    const before = await keyMicro();
    const jobId = await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, noise);
    await check(t, third, noise);
    expect(await keyMicro()).toBe(before);
    await dispute(jobId);
    await expectRefusal(settle(jobId), "conflict");
    expect(await keyMicro()).toBe(before);
  });

  it("gives the price of a wrong answer to the organization if that has refunded it before", async () => {
    const third = await addChecker(t, acme, "third");
    const before = await keyMicro();
    const jobId = await answerJob(t, acme, author);
    await dispute(jobId);
    await settle(jobId);
    expect(await keyMicro()).toBe(before);
    const issued = await micro(issuanceAccount(acme.organizationId));
    await choose(t);
    await check(t, checker, noise);
    await check(t, third, noise);
    expect(await held(author)).toBe(0n);
    expect(await keyMicro()).toBe(before);
    expect(await micro(issuanceAccount(acme.organizationId))).toBe(issued + pay);
  });

  it("takes the pay of a wrong answer back that was held and then released", async () => {
    const third = await addChecker(t, acme, "third");
    const before = await keyMicro();
    for (let each = 0; each < 4; each += 1) {
      await answerJob(t, acme, author);
      await choose(t);
      await check(t, checker, fitting);
    }
    for (let each = 0; each < 2; each += 1) await answerJob(t, acme, author);
    await choose(t);
    expect(await held(author)).toBe(6n * pay);
    await check(t, checker, fitting);
    expect(await held(author)).toBe(0n);
    await pass(t, 3_000);
    await t.mutation(internal.maintenance.project, {});
    await check(t, checker, noise);
    await check(t, third, noise);
    expect(await casesOf(t)).toMatchObject([{ state: "wrong", takenMicro: pay }]);
    const wrong = (await historyOf(author)).filter(({ explanation }) => explanation.includes("taken back"));
    expect(wrong).toMatchObject([{ earnedMicro: "0" }]);
    expect(wrong[0]?.explanation).toMatch(
      /of it were taken back: checks found this answer, or its tokens, wrong$/,
    );
    expect(await keyMicro()).toBe(before - 5n * pay);
  });

  it("takes nothing from the next owner of a device", async () => {
    await endProbation(t, acme, author, checker);
    const third = await addChecker(t, acme, "third");
    while ((await replaysOf(t)).every(({ state }) => state !== "waiting")) {
      await answerJob(t, acme, author);
      await pass(t, 3_000);
      await t.mutation(internal.maintenance.project, {});
      await choose(t);
    }
    const before = await earned(author);
    await t.run(
      async (ctx) =>
        await ctx.db.patch("devices", author.deviceId, {
          owner: (await ctx.db.query("members").first())!._id,
        }),
    );
    await check(t, checker, noise);
    await check(t, third, noise);
    expect((await casesOf(t))[0]).toMatchObject({ state: "wrong" });
    expect(await earned(author)).toBe(before);
  });

  it("takes the pay of a wrong answer back from a device that was paid at once", async () => {
    await endProbation(t, acme, author, checker);
    const third = await addChecker(t, acme, "third");
    const honest = await earned(author);
    const before = await keyMicro();
    let wrong = 0n;
    while ((await replaysOf(t)).every(({ state }) => state !== "waiting")) {
      await answerJob(t, acme, author);
      wrong += pay;
      await pass(t, 3_000);
      await t.mutation(internal.maintenance.project, {});
      await choose(t);
    }
    await check(t, checker, noise);
    await check(t, third, noise);
    expect(await casesOf(t)).toMatchObject([{ state: "wrong", takenMicro: pay }]);
    expect(await earned(author)).toBe(honest + wrong - pay);
    expect(await keyMicro()).toBe(before - wrong + pay);
  });

  describe("while a case is open", () => {
    /** The jobs of the device that count as paid. */
    const paidJobs = async ({ deviceId }: Device): Promise<number> =>
      (await t.run(async (ctx) => await balanceOf(ctx, deviceAccount(deviceId)))).jobs;
    /** Has an answer of a known device doubted. @returns what the device earned with its answers up to then. */
    const doubt = async (): Promise<bigint> => {
      await endProbation(t, acme, author, checker);
      while ((await replaysOf(t)).every(({ state }) => state !== "waiting")) {
        await answerJob(t, acme, author);
        await pass(t, 3_000);
        await t.mutation(internal.maintenance.project, {});
        await choose(t);
      }
      const before = await earned(author);
      expect(await held(author)).toBe(0n);
      await check(t, checker, noise);
      return before;
    };

    it("holds pay that was given already, and gives it back if the answer is right", async () => {
      const third = await addChecker(t, acme, "third");
      const before = await doubt();
      const jobs = await paidJobs(author);
      expect([await earned(author), await held(author)]).toEqual([before - pay, pay]);
      expect((await historyOf(author))[0]?.explanation).toContain("It is held");
      await check(t, third, fitting);
      expect(await casesOf(t)).toMatchObject([{ state: "right" }]);
      expect([await earned(author), await held(author)]).toEqual([before, 0n]);
      expect(await paidJobs(author)).toBe(jobs);
      expect((await historyOf(author))[0]?.explanation).not.toContain("held");
    });

    it("gives it back if nobody can tell", async () => {
      const before = await doubt();
      expect(await casesOf(t)).toMatchObject([{ state: "undecided" }]);
      expect([await earned(author), await held(author)]).toEqual([before, 0n]);
    });

    it("gives it to the requester if the answer is wrong, and says so", async () => {
      const third = await addChecker(t, acme, "third");
      const before = await doubt();
      const key = await keyMicro();
      await check(t, third, noise);
      expect(await casesOf(t)).toMatchObject([{ state: "wrong", takenMicro: pay }]);
      expect([await earned(author), await held(author)]).toEqual([before - pay, 0n]);
      expect(await keyMicro()).toBe(key + pay);
      const [row] = (await historyOf(author)).filter(({ explanation }) => explanation.includes("taken back"));
      expect(row).toMatchObject({ earnedMicro: "0" });
    });

    it("pays it if the organization stops acting, and takes it back if it acts again at the verdict", async () => {
      const third = await addChecker(t, acme, "third");
      const before = await doubt();
      await mode("watch");
      expect([await earned(author), await held(author)]).toEqual([before, 0n]);
      await mode("act");
      await pass(t, 3_000);
      await t.mutation(internal.maintenance.project, {});
      await check(t, third, noise);
      expect(await casesOf(t)).toMatchObject([{ state: "wrong", takenMicro: pay }]);
      expect([await earned(author), await held(author)]).toEqual([before - pay, 0n]);
    });

    it("pays a wrong answer if it only watches at the verdict", async () => {
      const third = await addChecker(t, acme, "third");
      const before = await doubt();
      await mode("watch");
      await check(t, third, noise);
      expect(await casesOf(t)).toMatchObject([{ state: "wrong" }]);
      expect([await earned(author), await held(author)]).toEqual([before, 0n]);
    });

    it("keeps the pay of a new device, also after five other answers fit", async () => {
      const third = await addChecker(t, acme, "third");
      await answerJob(t, acme, author);
      await choose(t);
      await check(t, checker, noise);
      // The doubted answer's next replay waits for the third device.
      await endProbation(t, acme, author, checker);
      expect(isOnProbation((await standingOf(t, author))!.standing)).toBe(false);
      expect([await earned(author), await held(author)]).toEqual([5n * pay, pay]);
      await check(t, third, noise);
      expect(await casesOf(t)).toMatchObject([{ state: "wrong" }]);
      expect([await earned(author), await held(author)]).toEqual([5n * pay, 0n]);
    });
  });

  const told = async ({ key }: Device) => (await t.query(api.devices.earnings, { key, since: 0 })).checks;
  const standings = async ({ deviceId }: Device) =>
    await t.query(api.console.fleet.checks.standings, { session, deviceId, now: Date.now() });
  const release = async ({ deviceId }: Device, reason = "The only computer with this model") =>
    await t.mutation(api.console.fleet.checks.releasePay, { session, deviceId, reason });

  it("keeps the pay of a device that nobody can check, and tells its donor and the console so", async () => {
    await t.mutation(api.console.devices.retire, { session, deviceId: checker.deviceId });
    await answerJob(t, acme, author);
    expect(await told(author)).toMatchObject({ unchecked: false });
    await choose(t);
    expect([await earned(author), await held(author)]).toEqual([0n, pay]);
    expect(await told(author)).toMatchObject({ heldMicro: String(pay), unchecked: true });
    expect(await standings(author)).toMatchObject({ heldMicro: pay, models: [{ unchecked: true }] });
    await addChecker(t, acme, "third");
    await answerJob(t, acme, author);
    await choose(t);
    expect(await told(author)).toMatchObject({ unchecked: false });
  });

  it("says that nobody can check a device only if pay of that model waits", async () => {
    await t.mutation(api.console.devices.retire, { session, deviceId: checker.deviceId });
    await answerJob(t, acme, author);
    await choose(t);
    // The pay that waits is of a model whose answers others check.
    await t.run(async (ctx) => {
      const { _id } = present(await ctx.db.query("heldPays").first(), "held pay");
      await ctx.db.patch("heldPays", _id, { modelId: "another" });
    });
    expect(await told(author)).toMatchObject({ heldMicro: String(pay), unchecked: false });
    expect(await standings(author)).toMatchObject({ heldMicro: pay, models: [{ unchecked: false }] });
  });

  it("tells of answers that show nothing of the model, until another one is checked", async () => {
    const tools = [{ name: "look", parameters: '{"type":"object","properties":{}}' }];
    const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request: { ...chat("Hi"), tools } });
    await completeJob(t, author, jobId, { text: "" });
    await choose(t);
    expect(await replaysOf(t)).toEqual([]);
    expect(await told(author)).toMatchObject({ unchecked: true });
    const format = { kind: "grammar" as const, grammar: "root ::= [a-zA-Z .]*" };
    for (let each = 0; each < 2; each += 1) {
      const request = { ...chat("Hi"), format };
      await completeJob(t, author, await submitWork(t, acme.apiKey, { kind: "chat", request }));
    }
    await choose(t);
    expect(await told(author)).toMatchObject({ unchecked: false });
    const nothing = { tokens: 0, regret: 0, misses: 0, impossible: 0, logprob: 0 };
    await check(t, checker, nothing, { promptTokens: 10, completionTokens: 12 });
    expect(await told(author)).toMatchObject({ unchecked: true });
    await check(t, checker, fitting);
    expect(await told(author)).toMatchObject({ unchecked: false });
  });

  it("releases no pay because of time, but all of it once five answers fit", async () => {
    for (let each = 0; each < 6; each += 1) await answerJob(t, acme, author);
    await choose(t);
    expect(await replaysOf(t)).toHaveLength(4);
    for (const hours of [7, 24 * 30]) {
      vi.setSystemTime(Date.now() + hours * 3_600_000);
      await t.mutation(internal.trust.checks.sweep, {});
      await pass(t, 10);
      expect([await earned(author), await held(author)]).toEqual([0n, 6n * pay]);
    }
    expect((await replaysOf(t)).every(({ state }) => state === "undone")).toBe(true);
    for (const device of [author, checker]) await take(t, device);
    await endProbation(t, acme, author, checker);
    expect([await earned(author), await held(author)]).toEqual([11n * pay, 0n]);
  });

  it("releases pay that was held because the standing faded while its check waited", async () => {
    await endProbation(t, acme, author, checker);
    const before = await earned(author);
    const { passed, at } = present(await standingOf(t, author), "standing").standing;
    const fadesAt = at + 180 * 24 * 3_600_000 * Math.log2(passed / 4.5);
    vi.setSystemTime(fadesAt - 30 * 60_000);
    for (const device of [author, checker]) await take(t, device);
    await answerJob(t, acme, author);
    await choose(t);
    expect(await earned(author)).toBe(before + pay);
    vi.setSystemTime(fadesAt + 30 * 60_000);
    await answerJob(t, acme, author);
    expect(await held(author)).toBe(pay);
    await check(t, checker, fitting);
    expect([await earned(author), await held(author)]).toEqual([before + 2n * pay, 0n]);
  });

  it("keeps the pay of a new device whose doubted answer nobody can decide", async () => {
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, noise);
    expect(await casesOf(t)).toMatchObject([{ state: "undecided" }]);
    expect([await earned(author), await held(author)]).toEqual([0n, pay]);
    await endProbation(t, acme, author, checker);
    expect([await earned(author), await held(author)]).toEqual([6n * pay, 0n]);
  });

  it("releases held pay also if the fifth answer that fits was doubted first", async () => {
    const third = await addChecker(t, acme, "third");
    for (let each = 0; each < 5; each += 1) {
      await answerJob(t, acme, author);
      await choose(t);
      await check(t, checker, each < 4 ? fitting : noise);
    }
    expect(await held(author)).toBe(5n * pay);
    await check(t, third, fitting);
    expect(await casesOf(t)).toMatchObject([{ state: "right" }]);
    expect([await earned(author), await held(author)]).toEqual([5n * pay, 0n]);
  });

  it("lets an administrator release the pay of a device with a reason, but none about which a case is open", async () => {
    await addChecker(t, acme, "third");
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, noise);
    await expectRefusal(release(author), "conflict");
    for (let each = 0; each < 2; each += 1) await answerJob(t, acme, author);
    await expectRefusal(release(author, " "), "invalid");
    await release(author);
    expect([await earned(author), await held(author)]).toEqual([2n * pay, pay]);
    const paginationOpts = { numItems: 50, cursor: null };
    const audit = await t.query(api.console.audit.list, { session, paginationOpts });
    expect(audit.page).toContainEqual(
      expect.objectContaining({ action: "device.pay-released", detail: "The only computer with this model" }),
    );
  });

  it("releases the pay of a device's further models soon after that of the first", async () => {
    for (let each = 0; each < 2; each += 1) await answerJob(t, acme, author);
    const waiting = async () => await t.run(async (ctx) => await ctx.db.query("heldPays").collect());
    const [first] = await waiting();
    await t.run(async (ctx) => await ctx.db.patch("heldPays", first!._id, { modelId: "another" }));
    await release(author);
    expect(await waiting()).toMatchObject([{ modelId }]);
    await pass(t, 10);
    expect(await waiting()).toEqual([]);
    expect([await earned(author), await held(author)]).toEqual([2n * pay, 0n]);
  });

  it("pays all that was held when it stops acting", async () => {
    await answerJob(t, acme, author);
    await mode("watch");
    expect(await earned(author)).toBe(pay);
    expect(await held(author)).toBe(0n);
  });

  it("goes on holding pay if it acts again before all is released", async () => {
    await answerJob(t, acme, author);
    await chooseMode(t, acme, "watch");
    await chooseMode(t, acme, "act");
    await pass(t, 10);
    expect([await earned(author), await held(author)]).toEqual([0n, pay]);
  });

  it("keeps a device paused whose answers were wrong until an administrator resumes it", async () => {
    const third = await addChecker(t, acme, "third");
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, noise);
    await check(t, third, noise);
    await t.mutation(internal.maintenance.judgeDevice, { keyHash: await queue.hashKey(author.key) });
    expect(await pauseOf(author)).not.toBeNull();
    await t.mutation(api.console.devices.resume, { session, deviceId: author.deviceId });
    expect(await pauseOf(author)).toBeNull();
    await take(t, author);
  });
});

describe("in the console", () => {
  const paginationOpts = { numItems: 20, cursor: null };

  it("an administrator sees cases with their evidence, and the last checks", async () => {
    const third = await addChecker(t, acme, "third");
    const jobId = await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, noise);
    await check(t, third, noise);
    const { cases, recent } = api.console.fleet.checks;
    const [found] = (await t.query(cases, { session, paginationOpts })).page;
    expect(found).toMatchObject({
      jobId,
      device: { name: "author" },
      state: "wrong",
      takenMicro: 0n,
      voices: [
        {
          checker: { name: "checker" },
          verdict: "mismatch",
          tokens: 12,
          misses: 10,
          impossible: 6,
          limit: 0.05,
        },
        { checker: { name: "third" }, verdict: "mismatch" },
      ],
    });
    const { page } = await t.query(recent, { session, paginationOpts });
    expect(page.map(({ voice }) => voice?.checker.name)).toEqual(["third", "checker"]);
    expect(
      JSON.stringify([found, page], (_, value: unknown) => (typeof value === "bigint" ? "" : value)),
    ).not.toContain("Vienna");
  });

  it("the overview tells of a device with wrong answers until it gets no more jobs", async () => {
    const third = await addChecker(t, acme, "third");
    await answerJob(t, acme, author);
    await choose(t);
    await check(t, checker, noise);
    await check(t, third, noise);
    const told = async () => {
      await t.action(internal.fleet.steps.followFleet, { organizationId: acme.organizationId });
      const items = await t.query(api.console.overview.attention, { session });
      return items.filter(({ kind }) => kind === "wrong-answers");
    };
    expect(await told()).toMatchObject([{ subject: "", count: 1 }]);
    await t.mutation(api.console.devices.pause, { session, deviceId: author.deviceId, until: null });
    expect(await told()).toEqual([]);
  });

  it("the standing of a device has its reasons", async () => {
    await endProbation(t, acme, author, checker);
    const { deviceId } = author;
    const found = await t.query(api.console.fleet.checks.standings, { session, deviceId, now: Date.now() });
    expect(found).toMatchObject({ heldMicro: 0n, models: [{ modelId, rank: "good", counts: { fits: 5 } }] });
    expect(found.models[0]?.chance).toBeGreaterThan(0.8);
  });

  it("the owner of a device learns no more of its standing than the device does", async () => {
    await endProbation(t, acme, author, checker);
    const { deviceId } = author;
    const ada = await joinAs(t, session, { name: "Ada", roles: ["donor"] });
    await t.mutation(api.console.devices.setOwner, { session, deviceId, owner: ada.memberId });
    const found = await t.query(api.console.fleet.checks.standings, {
      session: ada.session,
      deviceId,
      now: Date.now(),
    });
    expect(found.models).toEqual([
      { modelId, rank: "good", passed: 5, counts: {}, chance: null, unchecked: false },
    ]);
  });

  it("a change of what follows is in the audit trail, and only watching is the default", async () => {
    const { checks } = api.console.fleet;
    expect(await t.query(checks.mode, { session })).toBe("watch");
    await t.mutation(checks.setMode, { session, mode: "act" });
    expect(await t.query(checks.mode, { session })).toBe("act");
    const rules = await t.run(async (ctx) => await ctx.db.query("houseRules").first());
    await t.mutation(api.console.money.houseRules.set, {
      session,
      expireMonths: 12,
      bonus: null,
      payout: null,
    });
    expect(rules).toMatchObject({ checks: "act", expireMonths: null });
    expect(await t.query(checks.mode, { session })).toBe("act");
    const audit = await t.query(api.console.audit.list, { session, paginationOpts });
    expect(audit.page.map(({ action }) => action)).toContain("checks.mode-changed");
  });

  it("a device is told what it has to know", async () => {
    const told = async () => (await t.query(api.devices.earnings, { key: author.key, since: 0 })).checks;
    await mode("act");
    expect(await told()).toBeNull();
    await answerJob(t, acme, author);
    expect(await told()).toEqual({ heldMicro: String(pay), wrong: 0, overclaimed: 0, unchecked: false });
  });
});
