import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import { endOf } from "../openai/errors.ts";
import {
  addDevice,
  chat,
  claim,
  complete,
  expectBooksInOrder,
  expectRefusal,
  fail,
  jobOf,
  listKeys,
  modelId,
  pass,
  release,
  statusOf,
  submit,
  submitWork,
  take,
} from "./backend.fixture.ts";
import { runDue } from "./batchFile.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
});

const retire = async () => await t.mutation(api.console.models.retire, { session, modelId });
const balance = async () => (await listKeys(t, session))[0]?.balanceMicro;

describe("the preview of retiring a model", () => {
  const impact = async () => await t.query(api.console.models.impact, { session, modelId });
  const nobody = { count: 0, exact: true };

  it("has nothing to end at first", async () => {
    expect(await impact()).toEqual({
      waiting: nobody,
      running: nobody,
      isDefault: false,
      aliases: [],
      devices: 0,
    });
  });

  it("tells its jobs, its aliases and its devices, and none of other models", async () => {
    const other = { modelId: "other", source: "bundled", sha256: "cd".repeat(32), sizeBytes: 1 };
    const entry = { ...other, licence: "", contextTokens: 1_024, template: null, pieces: null };
    await t.mutation(api.console.models.add, {
      session,
      entry,
      price: { promptMicro: 0n, completionMicro: 0n },
    });
    for (const [alias, of] of [
      ["default", modelId],
      ["small", modelId],
      ["large", "other"],
    ] as const)
      await t.mutation(api.console.aliases.set, { session, alias, modelId: of });
    const device = await addDevice(t, acme, "first");
    await addDevice(t, acme, "second");
    await addDevice(t, acme, "third", ["other"]);
    await take(t, device);
    const jobs = await Promise.all(Array.from({ length: 4 }, async () => await submit(t, acme)));
    await submitWork(t, acme.apiKey, { kind: "chat", request: chat() }, { model: "other" });
    await claim(t, device, jobs[0] ?? "");
    expect(await impact()).toEqual({
      waiting: { count: 3, exact: true },
      running: { count: 1, exact: true },
      isDefault: true,
      aliases: ["small"],
      devices: 2,
    });
    await retire();
    await runDue(t);
    expect(await impact()).toMatchObject({ waiting: nobody, running: { count: 1, exact: true } });
  });

  it("has at least so many jobs as can be counted at once", async () => {
    for (let at = 0; at < 103; at += 1) await submit(t, acme);
    expect((await impact()).waiting).toEqual({ count: 100, exact: false });
  });

  it("is one of the catalog", async () => {
    const unknown = t.query(api.console.models.impact, { session, modelId: "unknown" });
    await expectRefusal(unknown, "not_found");
  });
});

describe("a model that is retired", () => {
  it("ends the jobs that wait for it, tells why, and gives the credits back", async () => {
    const before = await balance();
    const jobs = await Promise.all(Array.from({ length: 120 }, async () => await submit(t, acme)));
    expect(await balance()).toBeLessThan(before ?? 0n);
    await retire();
    // The queue cancels 20 at a time.
    for (let piece = 0; piece < 3; piece += 1) await runDue(t);
    for (const jobId of jobs) expect(await statusOf(t, acme, jobId)).toBe("canceled");
    expect(await balance()).toBe(before);
    const { error } = await t.query(api.requests.watch, { apiKey: acme.apiKey, jobId: jobs[7] ?? "" });
    expect(error).toEqual({
      code: "model_retired",
      message: `Your organization retired the model ${modelId}. It offers no model at the moment.`,
    });
  });

  it("lets a running job finish, and ends one that comes back to the queue", async () => {
    const device = await addDevice(t, acme, "first");
    await take(t, device);
    const [done, back] = [await submit(t, acme), await submit(t, acme)];
    const [finished, returned] = [await claim(t, device, done), await claim(t, device, back)];
    await retire();
    await runDue(t);
    await complete(t, device, finished);
    expect(await statusOf(t, acme, done)).toBe("succeeded");
    await release(t, device, returned);
    expect(await statusOf(t, acme, back)).toBe("ready");
    await pass(t, 10_000);
    await runDue(t);
    expect((await jobOf(t, acme, back)).error?.code).toBe("model_retired");
  });

  it("keeps the jobs of a model that is back before they came back", async () => {
    const device = await addDevice(t, acme, "first");
    await take(t, device);
    const jobId = await submit(t, acme);
    const attempt = await claim(t, device, jobId);
    await retire();
    await pass(t, 1_000);
    await t.mutation(api.console.models.reinstate, { session, modelId });
    await release(t, device, attempt);
    await pass(t, 60_000);
    expect(await statusOf(t, acme, jobId)).toBe("ready");
  });

  it("is no model for the calls that wait", async () => {
    const jobId = await submit(t, acme);
    await retire();
    await runDue(t);
    const ended = await t.query(api.requests.watch, { apiKey: acme.apiKey, jobId });
    expect(endOf(ended, "messages")).toMatchObject({ status: 404, code: "model_retired", param: "model" });
  });

  it("starts no dead letter again", async () => {
    const device = await addDevice(t, acme, "first");
    await take(t, device);
    const jobId = await submit(t, acme);
    await fail(t, device, await claim(t, device, jobId), { retryable: false });
    await retire();
    const outcome = await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId });
    expect(outcome).toEqual({ kind: "model-retired" });
  });
});
