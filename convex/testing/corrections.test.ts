import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { equalPrices } from "../../app/jobs/priority.ts";
import { api, internal } from "../_generated/api.js";
import type { Doc } from "../_generated/dataModel.js";
import { balanceOf } from "../model/ledger/balance.ts";
import { coverAccount, deviceAccount, keyAccount } from "../model/ledger/transfer.ts";
import { orderOf } from "../model/orders/orders.ts";
import { queue } from "../model/queue.ts";
import { present } from "../model/refuse.ts";
import {
  allJobs,
  type Backend,
  claim,
  completeWith,
  countQueue,
  type Device,
  expectBooksInOrder,
  greeting,
  listKeys,
  modelId,
  type Organization,
  pass,
  payloadOf,
  purgeQueue,
  submit,
  take,
  tryClaim,
} from "./backend.fixture.ts";
import { collectEnds, lines, runDue, uploadFile } from "./batchFile.fixture.ts";
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
  noise,
} from "./checks.fixture.ts";
import { addWebhook, deliver, startReceiver } from "./webhook.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let author: Device;
let checker: Device;
let third: Device;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  author = await addChecker(t, acme, "author");
  checker = await addChecker(t, acme, "checker");
  third = await addChecker(t, acme, "third");
  await chooseMode(t, acme, "act");
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await expectBooksInOrder(t);
  closeWorld();
});

/** Has an answer of the author found wrong. @param between what happens before the last check. @returns its job's id. */
const wrongAnswer = async (between = async (_jobId: string): Promise<void> => {}): Promise<string> => {
  const jobId = await answerJob(t, acme, author);
  await choose(t);
  await check(t, checker, noise);
  await between(jobId);
  await check(t, third, noise);
  expect(await casesOf(t)).toMatchObject([{ jobId, state: "wrong" }]);
  await pass(t, 10);
  return jobId;
};
const seen = async (jobId: string): Promise<Record<string, unknown>> => {
  const answer = await t.fetch(`/v1/jobs/${jobId}`, { headers: { authorization: `Bearer ${acme.apiKey}` } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
};
const correctionOf = async (jobId: string): Promise<string> => {
  const { found_wrong } = (await seen(jobId)) as { found_wrong: { corrected_by: string | null } | null };
  return present(found_wrong?.corrected_by ?? null, "correction");
};
const changeKey = async (change: Partial<Doc<"apiKeys">>): Promise<void> => {
  const id = await keyId();
  await t.run(async (ctx) => await ctx.db.patch("apiKeys", id, change));
};
const whyNot = async (jobId: string): Promise<unknown> =>
  (await t.run(async (ctx) => await orderOf(ctx, jobId)))?.foundWrong;
const keyId = async () => (await t.query(internal.requests.identify, { apiKey: acme.apiKey })).keyId;

it("a wrong answer's request is answered again by another device, for the same key", async () => {
  const jobId = await wrongAnswer();
  const correction = await correctionOf(jobId);
  expect(await seen(jobId)).toMatchObject({
    status: "succeeded",
    found_wrong: { corrected_by: correction, not_corrected: null },
    corrects: null,
  });
  expect(await seen(correction)).toMatchObject({ status: "queued", found_wrong: null, corrects: jobId });
  // A pause alone would end when an administrator resumes the device.
  await t.mutation(api.console.devices.resume, { session, deviceId: author.deviceId });
  expect((await tryClaim(t, author, correction)).kind).toBe("unable");
  const [job] = await take(t, checker);
  expect(job?.jobId).toBe(correction);
  expect(await payloadOf(t, checker.key, job!.attemptId)).toMatchObject({
    messages: [{ role: "user", content: "Hi" }],
    seed: 7,
  });
});

it("its answer is paid for, and each page names the other job", async () => {
  const jobId = await wrongAnswer();
  const correction = await correctionOf(jobId);
  await completeJob(t, third, correction);
  const result = await t.fetch(`/v1/jobs/${correction}/result`, {
    headers: { authorization: `Bearer ${acme.apiKey}` },
  });
  expect(await result.text()).toContain(answerText);
  expect(await seen(correction)).toMatchObject({ status: "succeeded", model: modelId });
  expect((await seen(correction))["price_micro"]).not.toBeNull();
  expect(await t.query(api.console.jobs.get, { session, jobId })).toMatchObject({
    foundWrong: { correctedBy: correction },
  });
  expect(await t.query(api.console.jobs.get, { session, jobId: correction })).toMatchObject({
    corrects: jobId,
    foundWrong: null,
  });
});

it("there is one correction, however often it is asked for", async () => {
  const jobId = await wrongAnswer();
  await t.mutation(internal.trust.corrections.correct, { jobId });
  const chats = (await allJobs(t, acme)).filter(({ kind }) => kind === "chat");
  expect(chats).toHaveLength(2);
});

it("it has the data class, its price and the requirements of the wrong answer's job", async () => {
  for (const { deviceId } of [author, checker, third]) {
    const dataClasses = ["medical"];
    await t.mutation(api.console.devices.label, { session, deviceId, groups: [], dataClasses });
  }
  await changeKey({ dataClass: "medical" });
  const classes = [{ name: "medical", percent: 150 }];
  const factors = { ...equalPrices, text: 100, embedding: 100, classes, hours: null };
  await t.mutation(api.console.money.prices.ofAll, { session, factors, from: null, why: null });
  const jobId = await wrongAnswer(async () => {
    await t.run(async (ctx) => await ctx.db.patch("apiKeys", await keyId(), { dataClass: undefined }));
  });
  const correction = await correctionOf(jobId);
  const order = await t.run(async (ctx) => await orderOf(ctx, correction));
  expect(order).toMatchObject({ dataClass: "medical", pricePercent: 150 });
  const job = (await allJobs(t, acme)).find((each) => each.jobId === correction);
  expect(job?.requirements).toMatchObject({ dataClass: "medical" });
});

it("a wrong answer has no correction while the organization only watches", async () => {
  await chooseMode(t, acme, "watch");
  const jobId = await wrongAnswer();
  expect(await seen(jobId)).toMatchObject({ found_wrong: null });
});

it.each<readonly [string, () => Promise<void>, string]>([
  [
    "its key has expired",
    async () => await changeKey({ expiresAt: Date.now() }),
    "Its API key was revoked or has expired.",
  ],
  [
    "its key may not use the model anymore",
    async () => await changeKey({ models: [] }),
    "Its API key may not use this model.",
  ],
  [
    "its model is retired",
    async () => {
      await t.run(async (ctx) => {
        const model = await ctx.db.query("models").first();
        await ctx.db.patch("models", model!._id, { enabled: false });
      });
    },
    "Your organization has no model of this name.",
  ],
])("a wrong answer has no correction if %s, and its job says why", async (_, change, why) => {
  const found = await whyNot(await wrongAnswer(change));
  expect(found).toMatchObject({ notCorrected: why });
  expect(found).not.toHaveProperty("correctedBy");
});

it("a wrong answer has no correction if its price was not given back, as after a time of only watching", async () => {
  await chooseMode(t, acme, "watch");
  const jobId = await wrongAnswer(async () => await chooseMode(t, acme, "act"));
  expect(await whyNot(jobId)).toMatchObject({ notCorrected: expect.stringContaining("paid twice") });
});

it("a key whose quota is used up gets its correction when the quota begins anew", async () => {
  await changeKey({ quotas: { day: { requests: 1 } } });
  const jobId = await wrongAnswer(async () => {
    await pass(t, 3_000);
    await t.mutation(internal.maintenance.project, {});
  });
  expect(await seen(jobId)).toMatchObject({ found_wrong: { corrected_by: null, not_corrected: null } });
  await changeKey({ quotas: { day: { requests: 2 } } });
  await pass(t, 3_600_000);
  expect(await seen(await correctionOf(jobId))).toMatchObject({ corrects: jobId });
});

const setBudget = async (monthlyMicro: bigint): Promise<void> => {
  const subject = await keyId();
  await t.mutation(api.console.budgets.set, { session, subject, monthlyMicro, stops: true });
};
const useUpBudget = async (): Promise<void> => {
  await t.run(async (ctx) => {
    const budget = present(await ctx.db.query("budgets").unique(), "budget");
    const month = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth());
    await ctx.db.patch("budgets", budget._id, { warned: { month, state: "over" } });
  });
};
const wrongBeyondBudget = async (): Promise<string> =>
  await wrongAnswer(async () => {
    await setBudget(1n);
    await useUpBudget();
  });
const postponedOf = async (jobId: string): Promise<unknown> => {
  const { found_wrong } = (await seen(jobId)) as { found_wrong: { postponed: unknown } };
  return found_wrong.postponed;
};

it("a key whose budget is used up gets its correction once the budget allows it, and until then the job says why not", async () => {
  const jobId = await wrongBeyondBudget();
  const why = "The budget of this API key for this month is used up. An administrator can raise it.";
  expect(await seen(jobId)).toMatchObject({
    found_wrong: { corrected_by: null, not_corrected: null, postponed: { why } },
  });
  await pass(t, 3_600_000);
  expect(await postponedOf(jobId)).toMatchObject({ why });
  await setBudget(10n ** 12n);
  await pass(t, 3_600_000);
  expect(await seen(await correctionOf(jobId))).toMatchObject({ status: "queued", corrects: jobId });
  expect(await postponedOf(jobId)).toBeNull();
});

it("a correction that is postponed is tried as soon as the month of a budget ends", async () => {
  const now = Date.now();
  const monthEnd = Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth() + 1);
  await setBudget(10n ** 12n);
  vi.setSystemTime(monthEnd - 20 * 60_000);
  const jobId = await wrongAnswer(useUpBudget);
  expect(await postponedOf(jobId)).toMatchObject({ next_at: monthEnd / 1_000 });
  await pass(t, monthEnd - Date.now());
  expect(await seen(await correctionOf(jobId))).toMatchObject({ corrects: jobId });
});

it("a correction is not tried if its request is deleted before another answer can come, and the job says so", async () => {
  const jobId = await wrongBeyondBudget();
  const { finishedAt } = present((await allJobs(t, acme)).find((job) => job.jobId === jobId) ?? null, "job");
  const deletedAt = present(finishedAt, "end") + 24 * 3_600_000;
  const { postponed } = present(await t.run(async (ctx) => await orderOf(ctx, jobId)), "order").foundWrong!;
  vi.setSystemTime(deletedAt - 9 * 60_000);
  await setBudget(10n ** 12n);
  await t.mutation(internal.trust.corrections.correct, { jobId });
  expect(await whyNot(jobId)).toMatchObject({
    notCorrected: "Its request is deleted too soon for another answer.",
    postponedFor: postponed!.why,
  });
  expect(await seen(jobId)).toMatchObject({
    found_wrong: {
      not_corrected: `Its request is deleted too soon for another answer. Before that: ${postponed!.why}`,
    },
  });
  expect((await allJobs(t, acme)).filter(({ kind }) => kind === "chat")).toHaveLength(1);
});

it("a correction is no longer tried once too little time is left, and the job says why it was postponed", async () => {
  const jobId = await wrongBeyondBudget();
  await pass(t, 25 * 3_600_000);
  await purgeQueue(t);
  await pass(t, 2 * 3_600_000);
  expect(await whyNot(jobId)).toMatchObject({
    notCorrected: "Its request is deleted too soon for another answer.",
    postponedFor: "The budget of this API key for this month is used up. An administrator can raise it.",
  });
  expect(await postponedOf(jobId)).toBeNull();
  const { foundWrong } = present(await t.run(async (ctx) => await orderOf(ctx, jobId)), "order");
  await pass(t, 2 * 3_600_000);
  expect(await whyNot(jobId)).toEqual(foundWrong);
});

it("a key with too few credits gets its correction once it has some", async () => {
  const change = async (micro: bigint): Promise<void> => {
    const target = { session, holder: await keyId(), micro, reason: "test" };
    await t.mutation(api.console.money.grants.change, target);
    await t.mutation(internal.maintenance.project, {});
  };
  const jobId = await wrongAnswer(async () => {
    await pass(t, 3_000);
    await t.mutation(internal.maintenance.project, {});
    const [key] = await listKeys(t, session);
    await change(-present(key ?? null, "key").balanceMicro);
  });
  expect(await postponedOf(jobId)).toMatchObject({ why: expect.stringMatching(/, but the API key has 0\./) });
  await change(10n ** 12n);
  await pass(t, 3_600_000);
  expect(await seen(await correctionOf(jobId))).toMatchObject({ corrects: jobId });
});

it("devices share a cached prompt only with the wrong answer's own jobs, and the text is kept no longer", async () => {
  const jobId = await wrongAnswer();
  const correction = await correctionOf(jobId);
  const [payloads, jobs] = await Promise.all([
    t.run(async (ctx) =>
      Promise.all([jobId, correction].map(async (id) => await queue.payload(ctx, acme.organizationId, id))),
    ),
    allJobs(t, acme),
  ]);
  expect(payloads[1]?.payload).toEqual(payloads[0]?.payload);
  const [wrong, corrected] = [jobId, correction].map((id) => jobs.find((each) => each.jobId === id));
  await pass(t, 25 * 3_600_000);
  await countQueue(t);
  expect(await seen(correction)).toMatchObject({ status: "expired" });
  expect(wrong?.requirements).toEqual(corrected?.requirements);
});

it("a queue that is drained is asked again later", async () => {
  const lane = async (state: "draining" | "open"): Promise<void> => {
    const { lanes } = await t.query(api.console.queue.stats, { session });
    for (const { laneId } of lanes)
      await t.mutation(api.console.queue.setLaneState, { session, laneId, state });
  };
  const jobId = await wrongAnswer(async () => await lane("draining"));
  expect(await seen(jobId)).toMatchObject({ found_wrong: { corrected_by: null, not_corrected: null } });
  await lane("open");
  await pass(t, 61_000);
  expect(await seen(await correctionOf(jobId))).toMatchObject({ status: "queued" });
});

it("a wrong answer has no correction once its request is deleted", async () => {
  const jobId = await answerJob(t, acme, author);
  await pass(t, 25 * 3_600_000);
  await purgeQueue(t);
  await t.run(async (ctx) => {
    const order = present(await orderOf(ctx, jobId), "order");
    const { priceMicro: givenBackMicro = 0n } = order;
    await ctx.db.patch("orders", order._id, { foundWrong: { at: Date.now() }, givenBackMicro });
  });
  await t.mutation(internal.trust.corrections.correct, { jobId });
  expect(await seen(jobId)).toMatchObject({
    found_wrong: { corrected_by: null, not_corrected: "Its request was deleted." },
  });
});

it("webhooks are told when it has ended, by the job with the wrong answer", async () => {
  // A backend on this computer sends to this computer, too.
  vi.stubEnv("CONVEX_SITE_URL", "http://127.0.0.1:3211");
  const receiver = await startReceiver();
  onTestFinished(receiver.close);
  await addWebhook(t, session, receiver.url, ["job.corrected"]);
  const jobId = await wrongAnswer();
  const correction = await correctionOf(jobId);
  await completeJob(t, checker, correction);
  await deliver(t);
  expect(receiver.messages.map(({ event }) => event)).toMatchObject([
    { type: "job.corrected", data: { id: jobId, corrected_by: correction } },
  ]);
});

it("a correction that is wrong, too, is corrected by a device that has not answered before", async () => {
  const devices = [author];
  for (const name of ["b", "c", "d"]) devices.push(await addChecker(t, acme, name));
  const jobIds = [await wrongAnswer()];
  for (const device of devices.slice(1, 3)) {
    jobIds.push(await correctionOf(jobIds.at(-1)!));
    await completeJob(t, device, jobIds.at(-1)!);
    await choose(t);
    await check(t, checker, noise);
    await check(t, third, noise);
    await pass(t, 10);
  }
  const last = await correctionOf(jobIds.at(-1)!);
  expect(await seen(last)).toMatchObject({ corrects: jobIds.at(-1) });
  for (const device of devices.slice(0, 3)) {
    await t.mutation(api.console.devices.resume, { session, deviceId: device.deviceId });
    expect((await tryClaim(t, device, last)).kind).toBe("unable");
  }
  expect((await tryClaim(t, devices[3]!, last)).kind).toBe("claimed");
});

describe("a wrong answer that outran another device", () => {
  /** Says that a device writes 10 tokens a second, so that it is known when it takes too long. */
  const saySpeed = async ({ key }: Device): Promise<void> => {
    const { capabilities, ...said } = greeting([modelId]);
    const kinds = [...capabilities.kinds, "replay"];
    const speeds = [{ of: modelId, inputPerSecond: 100, outputPerSecond: 10 }];
    const can = { ...capabilities, kinds, concurrency: 1, speeds };
    await t.mutation(api.work.hello, { key, ...said, capabilities: can });
  };
  /** Has an answer of the author found wrong, of which a slow device had written a part. @param between before the last check. */
  const wrongOutrun = async (between = async (_jobId: string): Promise<void> => {}) => {
    const slow = await addChecker(t, acme, "slow");
    for (const device of [slow, author]) await saySpeed(device);
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, slow, jobId);
    await take(t, author);
    for (let seconds = 0; seconds < 33; seconds += 1) await pass(t, 1_000);
    const [handed] = await t.query(api.work.handed, { key: author.key });
    expect(handed?.jobId).toBe(jobId);
    await t.mutation(api.work.append, { key: slow.key, attemptId, seq: 0, text: answerText.slice(0, 9) });
    await completeWith(t, author, handed!.attemptId, {
      result: { text: answerText, finishReason: "stop" },
      report: { usage: answerUsage, timing: { prefillMs: 5, generateMs: 20 } },
    });
    const part = await microOf(deviceAccount(slow.deviceId));
    expect(part).toBeGreaterThan(0n);
    await choose(t);
    await check(t, checker, noise);
    await between(jobId);
    await check(t, third, noise);
    await pass(t, 10);
    return { jobId, slow, part };
  };
  const microOf = async (account: string): Promise<bigint> =>
    (await t.run(async (ctx) => await balanceOf(ctx, account))).micro;
  const keyMicro = async (): Promise<bigint> => await microOf(keyAccount(await keyId()));
  const cancel = async (jobId: string): Promise<void> => {
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    const answer = await t.fetch(`/v1/jobs/${jobId}/cancel`, { method: "POST", headers });
    expect(answer.status).toBe(200);
  };

  it("costs its key nothing, is answered again, and the other device keeps its pay from the organization", async () => {
    const before = await keyMicro();
    const { jobId, slow, part } = await wrongOutrun();
    const correction = await correctionOf(jobId);
    expect(await seen(correction)).toMatchObject({ status: "queued", corrects: jobId });
    await cancel(correction);
    expect(await keyMicro()).toBe(before);
    expect(await microOf(deviceAccount(slow.deviceId))).toBe(part);
    expect(await microOf(coverAccount(acme.organizationId))).toBe(-part);
  });

  it("gives nothing twice if a dispute refunded the price before", async () => {
    const before = await keyMicro();
    const { jobId, part } = await wrongOutrun(async (disputed) => {
      const body = JSON.stringify({ rating: "bad", reason: "wrong", dispute: true });
      const headers = { authorization: `Bearer ${acme.apiKey}` };
      await t.fetch(`/v1/jobs/${disputed}/rating`, { method: "POST", headers, body });
      const decision = { session, jobId: disputed, reason: "It is.", refund: true };
      await t.mutation(api.console.work.ratings.settle, decision);
    });
    await cancel(await correctionOf(jobId));
    expect(await keyMicro()).toBe(before);
    expect(await microOf(coverAccount(acme.organizationId))).toBe(0n);
    expect(part).toBeGreaterThan(0n);
  });
});

describe("a batch", () => {
  const headers = () => ({ authorization: `Bearer ${acme.apiKey}` });
  const bodyOf = async (id: string) =>
    (await (await t.fetch(`/v1/batches/${id}`, { headers: headers() })).json()) as {
      output_file_id: string;
      found_wrong: object | null;
    };
  const fileOf = async (id: string): Promise<string> => {
    const { output_file_id: fileId } = await bodyOf(id);
    return await (await t.fetch(`/v1/files/${fileId}/content`, { headers: headers() })).text();
  };
  /** A batch of one line, with the author's answer in its file, which one device doubts. */
  const doubted = async (): Promise<{ readonly id: string; readonly jobId: string }> => {
    const fileId = await uploadFile(t, acme.apiKey, lines(1));
    const asked = { input_file_id: fileId, endpoint: "/v1/chat/completions", completion_window: "24h" };
    const body = JSON.stringify(asked);
    const made = await t.fetch("/v1/batches", { method: "POST", headers: headers(), body });
    const { id } = (await made.json()) as { id: string };
    await runDue(t);
    const [order] = await t.run(async (ctx) => await ctx.db.query("orders").collect());
    const { jobId } = present(order ?? null, "order");
    await completeJob(t, author, jobId);
    await collectEnds(t);
    await choose(t);
    await check(t, checker, noise);
    return { id, jobId };
  };

  it("keeps a wrong answer in its file, and names its line and the job that answers it again", async () => {
    const { id, jobId } = await doubted();
    const before = await fileOf(id);
    expect(before).toContain(jobId);
    expect((await bodyOf(id)).found_wrong).toBeNull();
    await check(t, third, noise);
    await pass(t, 10);
    const correctedBy = await correctionOf(jobId);
    const line = {
      custom_id: "q0",
      job: jobId,
      index: null,
      corrected_by: correctedBy,
      not_corrected: null,
      postponed: null,
    };
    expect((await bodyOf(id)).found_wrong).toEqual({ count: 1, lines: [line] });
    expect(await fileOf(id)).toBe(before);
    const batchId = await t.run(async (ctx) => ctx.db.normalizeId("batches", id.slice("batch_".length))!);
    expect(await t.query(api.console.work.batches.get, { session, batchId })).toMatchObject({
      wrongCount: 1,
      wrongLines: [{ customId: "q0", jobId, correctedBy }],
    });
  });

  it("says why a wrong answer of its line is not answered again", async () => {
    const { id, jobId } = await doubted();
    await changeKey({ models: [] });
    await check(t, third, noise);
    await pass(t, 10);
    const why = "Its API key may not use this model.";
    expect((await bodyOf(id)).found_wrong).toEqual({
      count: 1,
      lines: [
        { custom_id: "q0", job: jobId, index: null, corrected_by: null, not_corrected: why, postponed: null },
      ],
    });
  });

  it("names the first hundred of its lines, and counts the others", async () => {
    const { id, jobId } = await doubted();
    const wrongLines = Array.from({ length: 100 }, (_, n) => ({ customId: `p${n}`, jobId: `j${n}` }));
    const batchId = await t.run(async (ctx) => ctx.db.normalizeId("batches", id.slice("batch_".length))!);
    await t.run(async (ctx) => await ctx.db.patch("batches", batchId, { wrongLines, wrongCount: 100 }));
    await check(t, third, noise);
    await pass(t, 10);
    const found = JSON.stringify((await bodyOf(id)).found_wrong);
    expect(found).toContain('"count":101');
    expect(found).toContain('"p99"');
    expect(found).not.toContain(jobId);
  });
});
