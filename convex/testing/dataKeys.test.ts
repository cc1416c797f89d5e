import { ConvexError } from "convex/values";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import { queue } from "../model/queue.ts";
import {
  addDevice,
  addOrganization,
  answer,
  type Backend,
  claim,
  complete,
  type Device,
  expectRefusal,
  fail,
  modelId,
  type Organization,
  pass,
  signed,
  signIn,
  statusOf,
  submit,
  take,
  tryClaim,
} from "./backend.fixture.ts";
import { ask as chatOf, collectEnds, lines, runDue, uploadFile } from "./batchFile.fixture.ts";
import { addChecker, answerJob, choose, replaysOf, takeReplay } from "./checks.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

const masterKey = "A".repeat(43);
const otherKey = `${"B".repeat(42)}A`;
const prompt = "A prompt of quokkas";
const text = "An answer of quokkas.";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;

beforeEach(async () => {
  vi.stubEnv("GLEANER_DATA_KEY", masterKey);
  ({ t, acme, session } = await openWorld());
  await pass(t, 1);
  device = await addDevice(t, acme);
});
afterEach(() => {
  closeWorld();
  vi.unstubAllEnvs();
});

const state = async () => await t.query(api.console.data.keys.state, { session });
const destroy = async (by = session) => await t.action(api.console.data.keys.destroy, { session: by });
const watch = async (jobId: string) => await t.query(api.requests.watch, { apiKey: acme.apiKey, jobId });
const ask = async (stream = false) => await submit(t, acme, { content: prompt, stream });

/** The job's texts as the queue stores them. */
async function stored(jobId: string) {
  const of = { scope: acme.organizationId, jobId };
  const { jobs } = queue.component;
  return await t.run(async (ctx) => ({
    payload: (await ctx.runQuery(jobs.payload, of))?.payload,
    result: (await ctx.runQuery(jobs.result, of))?.result,
    chunks: (await ctx.runQuery(jobs.watch, of)).chunks,
  }));
}

async function answered(): Promise<string> {
  const jobId = await ask();
  await complete(t, device, await claim(t, device, jobId), { text });
  return jobId;
}

/** Expects that a device sends its call again: it takes a refusal as the end of its answer. */
async function expectRetry(call: Promise<unknown>): Promise<void> {
  const thrown: unknown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(Error);
  expect(thrown).not.toBeInstanceOf(ConvexError);
}

/** As if the organization were of a version without data keys. */
async function deleteKeys(): Promise<void> {
  await t.run(async (ctx) => {
    for (const { _id } of await ctx.db.query("dataKeys").collect()) await ctx.db.delete("dataKeys", _id);
  });
}

async function look(jobId: string) {
  await t.mutation(api.console.payloads.setAccess, { session, ownersMayLook: true });
  return await t.mutation(api.console.payloads.look, { session, jobId });
}

describe("a deployment with a master key", () => {
  it("stores prompts and answers as ciphertext, and gives them to those who may have them", async () => {
    expect(await state()).toMatchObject({ state: "on", destroyedAt: null });
    const jobId = await ask();
    const claimed = await tryClaim(t, device, jobId);
    expect(JSON.stringify(claimed)).toContain(prompt);
    if (claimed.kind === "claimed") await complete(t, device, claimed.job.attemptId, { text });
    const { payload, result } = await stored(jobId);
    expect(payload).toBeInstanceOf(ArrayBuffer);
    expect(result).toBeInstanceOf(ArrayBuffer);
    for (const bytes of [payload, result])
      expect(new TextDecoder().decode(bytes as ArrayBuffer)).not.toContain("quokkas");
    expect((await watch(jobId)).result).toMatchObject({ text });
    expect(JSON.stringify(await look(jobId))).toMatch(/answer of quokkas.*prompt of quokkas/);
  });

  it("stores streamed texts as ciphertext, and still compares the answer with them", async () => {
    const jobId = await ask(true);
    const attemptId = await claim(t, device, jobId);
    const { key } = device;
    await t.mutation(api.work.append, { key, attemptId, seq: 0, text: "An answer " });
    const { chunks } = await stored(jobId);
    expect(chunks).toMatchObject([{ seq: 0, text: "", data: [expect.any(ArrayBuffer)] }]);
    expect((await watch(jobId)).chunks).toEqual([{ seq: 0, text: "An answer " }]);
    expect(await complete(t, device, attemptId, { text: "Another one." })).toMatchObject({ kind: "refused" });
  });

  it("hands over and gives further jobs with their texts", async () => {
    const { key } = device;
    const jobIds = [await ask(), await ask()];
    const taken = await t.mutation(api.work.take, { key, demand: { jobs: 1 } });
    const [first] = taken.kind === "ok" ? taken.jobs : [];
    const next = await complete(t, device, first?.attemptId ?? "", { wanted: 1 });
    const second = next.jobs.at(0);
    expect([first, second].map((job) => job?.jobId).sort()).toEqual(jobIds.sort());
    const payload = { messages: [{ content: prompt }] };
    expect([first, second]).toMatchObject([{ payload }, { payload }]);
    await complete(t, device, second?.attemptId ?? "", { wanted: 1 });
    const jobId = await submit(t, acme, { content: prompt, handOver: true });
    const handed = await t.query(api.work.handed, { key });
    expect(handed).toMatchObject([{ jobId, payload }]);
  });

  it("keeps the texts of two organizations under two keys", async () => {
    const other = await addOrganization(t, { name: "Other" });
    await pass(t, 1);
    const jobId = await answered();
    await destroy(await signIn(t, other));
    expect((await watch(jobId)).result).toMatchObject({ text });
  });

  it("refuses requests while the key is missing, rather than to store them plain", async () => {
    await deleteKeys();
    await expectRefusal(ask(), "draining");
    await t.mutation(internal.data.keys.keep, {});
    await pass(t, 1);
    expect(await state()).toMatchObject({ state: "on" });
    await ask();
  });
});

describe("a destroyed data key", () => {
  it("deletes prompts and answers, cancels jobs, and leaves later ones alone", async () => {
    const [jobId, waiting] = [await answered(), await ask()];
    await destroy();
    await pass(t, 1);
    await runDue(t);
    expect((await watch(jobId)).result).toBeNull();
    expect(await look(jobId)).toEqual({ request: null, answer: null });
    expect(await statusOf(t, acme, waiting)).toBe("canceled");
    expect(await state()).toMatchObject({ state: "on", destroyedAt: Date.now() - 1 });
    expect((await watch(await answered())).result).toMatchObject({ text });
    const paginationOpts = { numItems: 20, cursor: null };
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
    expect(page.map(({ action }) => action)).toContain("data-key.destroyed");
    const keys = await t.run(async (ctx) => await ctx.db.query("dataKeys").collect());
    expect(keys.map(({ wrapped }) => wrapped === undefined)).toEqual([true, false]);
  });

  it("spares jobs and batches that begin with the new key before the cancellation has reached their API key", async () => {
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    const begin = async (): Promise<void> => {
      const input_file_id = await uploadFile(t, acme.apiKey, lines(1));
      const asked = { input_file_id, endpoint: "/v1/chat/completions", completion_window: "24h" };
      await t.fetch("/v1/batches", { method: "POST", headers, body: JSON.stringify(asked) });
    };
    await begin();
    const before = await ask();
    await pass(t, 1);
    await destroy();
    const { destroyedAt } = await state();
    vi.setSystemTime(Date.now() + 1);
    const after = await ask();
    await begin();
    // As a further page of many API keys, which is canceled later.
    const { organizationId } = acme;
    const late = { organizationId, cursor: null, before: destroyedAt ?? 0 };
    await t.mutation(internal.data.keys.cancelJobs, late);
    await runDue(t);
    expect([await statusOf(t, acme, before), await statusOf(t, acme, after)]).toEqual(["canceled", "ready"]);
    const batches = await t.run(async (ctx) => await ctx.db.query("batches").collect());
    expect(batches.map(({ cancelingAt }) => cancelingAt === undefined)).toEqual([false, true]);
  });

  it("leaves dead letters that nobody can retry", async () => {
    const jobId = await ask();
    await fail(t, device, await claim(t, device, jobId), { retryable: false });
    await destroy();
    await pass(t, 1);
    const retried = await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId });
    expect(retried).toEqual({ kind: "gone" });
  });

  it("ends running jobs without a failure of their devices", async () => {
    const jobIds = [await ask(), await ask()];
    const { key } = device;
    const [done, failed] = [await claim(t, device, jobIds[0]!), await claim(t, device, jobIds[1]!)];
    const answered = await signed(t, device, done, answer(text));
    await destroy();
    const ended = { key, attemptId: done, ...answered, demand: { jobs: 0 } };
    expect(await t.mutation(api.work.complete, ended)).toMatchObject({ kind: "fenced" });
    const code = "request_unsupported";
    expect(await fail(t, device, failed, { code, retryable: false })).toMatchObject({ kind: "fenced" });
    for (const jobId of jobIds) expect(await statusOf(t, acme, jobId)).toBe("canceled");
  });

  it("cancels checks of answers, also running ones", async () => {
    const checker = await addChecker(t, acme, "checker");
    await answerJob(t, acme, device);
    await choose(t);
    expect(await replaysOf(t)).toMatchObject([{ state: "waiting" }]);
    const replay = await takeReplay(t, checker);
    await destroy();
    for (let each = 0; each < 3; each += 1) await pass(t, 1);
    expect(await replaysOf(t)).toMatchObject([{ state: "undone" }]);
    expect(await t.query(api.work.held, { key: checker.key })).not.toContainEqual(
      expect.objectContaining({ attemptId: replay?.attemptId }),
    );
  });

  it("stays destroyed when a backup brings it back", async () => {
    const [jobId, waiting] = [await answered(), await ask()];
    const [key] = await t.run(async (ctx) => await ctx.db.query("dataKeys").take(1));
    const replaced = { ...key, wrapped: undefined, destroyedAt: Date.now() };
    const restored = { table: "dataKeys", documents: [replaced], isKnown: true };
    await t.mutation(internal.afterRestore.apply, restored);
    await pass(t, 1);
    expect((await watch(jobId)).result).toBeNull();
    await pass(t, 1);
    await runDue(t);
    expect(await state()).toMatchObject({ state: "on" });
    expect(await statusOf(t, acme, waiting)).toBe("canceled");
  });

  it("is an owner's act", async () => {
    const admin = await joinAs(t, session, { name: "Ada", roles: ["admin"] });
    await expectRefusal(destroy(admin.session), "forbidden");
  });
});

describe("a missing master key", () => {
  const lose = () => vi.stubEnv("GLEANER_DATA_KEY", otherKey);
  const putBack = () => vi.stubEnv("GLEANER_DATA_KEY", masterKey);

  it("delays answers of the API, and deletes none", async () => {
    const jobId = await answered();
    const fetch = async () => {
      const headers = { Authorization: `Bearer ${acme.apiKey}` };
      const response = await t.fetch(`/v1/jobs/${jobId}/result`, { headers });
      return [response.status, response.headers.get("Retry-After")];
    };
    lose();
    expect(await fetch()).toEqual([503, "60"]);
    await expectRefusal(look(jobId), "draining");
    putBack();
    expect(await fetch()).toEqual([200, null]);
  });

  it("delays the decision of second opinions", async () => {
    const messages = [{ role: "user", content: prompt }];
    const headers = { Authorization: `Bearer ${acme.apiKey}` };
    const response = await t.fetch("/v1/chat/completions", {
      method: "POST",
      headers: { ...headers, Prefer: "respond-async" },
      body: JSON.stringify({ model: modelId, messages, x_gleaner: { votes: 2 } }),
    });
    const { id, jobs } = (await response.json()) as { readonly id: string; readonly jobs: readonly string[] };
    const status = async () =>
      ((await (await t.fetch(`/v1/jobs/${id}`, { headers })).json()) as { readonly status: string }).status;
    await complete(t, device, await claim(t, device, jobs[0]!), { text });
    lose();
    await pass(t, 1);
    expect(await status()).toBe("running");
    putBack();
    await pass(t, 61_000);
    expect(await status()).toBe("succeeded");
    const result = await t.fetch(`/v1/jobs/${id}/result`, { headers });
    expect(await result.json()).toMatchObject({ choices: [{ message: { content: text } }] });
  });

  it("hands out no jobs", async () => {
    const { key } = device;
    await ask();
    const taken = await t.mutation(api.work.take, { key, demand: { jobs: 1 } });
    const [first] = taken.kind === "ok" ? taken.jobs : [];
    await complete(t, device, first?.attemptId ?? "", { wanted: 1 });
    const handedOver = await submit(t, acme, { content: prompt, handOver: true });
    const jobId = await ask();
    lose();
    await expectRetry(t.mutation(api.work.take, { key, demand: { jobs: 1 } }));
    await expectRetry(tryClaim(t, device, jobId));
    await expectRetry(t.query(api.work.handed, { key }));
    putBack();
    expect(await t.query(api.work.handed, { key })).toMatchObject([{ jobId: handedOver }]);
    expect(await tryClaim(t, device, jobId)).toMatchObject({ kind: "claimed" });
  });

  it("lets a device send its answer again", async () => {
    const jobId = await ask();
    const attemptId = await claim(t, device, jobId);
    const done = await signed(t, device, attemptId, answer(text));
    const send = async () =>
      await t.mutation(api.work.complete, { key: device.key, attemptId, ...done, demand: { jobs: 0 } });
    lose();
    await expectRetry(send());
    putBack();
    expect(await send()).toMatchObject({ kind: "completed" });
    expect((await watch(jobId)).result).toMatchObject({ text });
  });

  it("stores nothing as it is for an organization with a data key", async () => {
    const jobId = await ask(true);
    const attemptId = await claim(t, device, jobId);
    vi.stubEnv("GLEANER_DATA_KEY", "");
    expect(await state()).toMatchObject({ state: "locked" });
    await expectRefusal(ask(), "draining");
    const { key } = device;
    await expectRefusal(t.mutation(api.work.append, { key, attemptId, seq: 0, text }), "draining");
    expect((await stored(jobId)).chunks).toEqual([]);
  });

  it("ends when an owner destroys the data key", async () => {
    const jobId = await answered();
    vi.stubEnv("GLEANER_DATA_KEY", "");
    await destroy();
    expect(await state()).toMatchObject({ state: "off", destroyedAt: Date.now() });
    expect((await watch(jobId)).result).toBeNull();
    expect((await watch(await answered())).result).toMatchObject({ text });
  });

  it("delays the requests and the answers of batches", async () => {
    const files = [
      await uploadFile(t, acme.apiKey, lines(2)),
      await uploadFile(t, acme.apiKey, lines(2)),
    ] as const;
    const start = async (file: string) => {
      const body = JSON.stringify({
        input_file_id: file,
        endpoint: "/v1/chat/completions",
        completion_window: "24h",
      });
      const headers = { Authorization: `Bearer ${acme.apiKey}` };
      expect((await t.fetch("/v1/batches", { method: "POST", headers, body })).status).toBe(200);
      await runDue(t);
    };
    const counts = async () =>
      await t.run(async (ctx) => {
        const batches = await ctx.db.query("batches").collect();
        return batches.map(({ total, completed, failed }) => ({ total, completed, failed }));
      });
    await start(files[0]);
    for (let each = 0; each < 2; each += 1) {
      const [job] = await take(t, device);
      await complete(t, device, job?.attemptId ?? "", { text });
    }
    lose();
    await expect(collectEnds(t)).rejects.toThrow("lacks the key");
    await start(files[1]);
    expect(await counts()).toMatchObject([{ completed: 0, failed: 0 }, { failed: 0 }]);
    putBack();
    await collectEnds(t);
    await pass(t, 2 * 60_000 + 1);
    await t.mutation(internal.batches.resume, {});
    await runDue(t);
    for (let each = 0; each < 2; each += 1) {
      const [job] = await take(t, device);
      await complete(t, device, job?.attemptId ?? "", { text });
    }
    await collectEnds(t);
    const all = { total: 2, completed: 2, failed: 0 };
    expect(await counts()).toEqual([all, all]);
  });

  it("lets a device send an answer again that came before the organization's first key", async () => {
    vi.stubEnv("GLEANER_DATA_KEY", "");
    await deleteKeys();
    const jobId = await ask();
    const attemptId = await claim(t, device, jobId);
    putBack();
    await expectRetry(complete(t, device, attemptId, { text }));
    await t.mutation(internal.data.keys.keep, {});
    await pass(t, 1);
    expect(await complete(t, device, attemptId, { text })).toMatchObject({ kind: "completed" });
  });
});

describe("the master key", () => {
  it("can be replaced while texts stay readable", async () => {
    const jobId = await answered();
    vi.stubEnv("GLEANER_DATA_KEY", otherKey);
    expect(await state()).toMatchObject({ state: "locked" });
    await expectRefusal(watch(jobId), "draining");
    await expectRefusal(ask(), "draining");
    vi.stubEnv("GLEANER_DATA_KEY_PREVIOUS", masterKey);
    expect((await watch(jobId)).result).toMatchObject({ text });
    await t.mutation(internal.data.keys.keep, {});
    vi.stubEnv("GLEANER_DATA_KEY_PREVIOUS", "");
    expect((await watch(jobId)).result).toMatchObject({ text });
    expect(await state()).toMatchObject({ state: "on" });
  });

  it("can be absent: then texts are stored as they are", async () => {
    vi.stubEnv("GLEANER_DATA_KEY", "");
    await deleteKeys();
    expect(await state()).toMatchObject({ state: "off" });
    const jobId = await answered();
    expect((await stored(jobId)).result).toMatchObject({ text });
    expect((await watch(jobId)).result).toMatchObject({ text });
  });

  it("must be 32 bytes, which is no mistake of requesters", async () => {
    vi.stubEnv("GLEANER_DATA_KEY", "short");
    const body = JSON.stringify(chatOf(prompt));
    const headers = { Authorization: `Bearer ${acme.apiKey}` };
    const response = await t.fetch("/v1/chat/completions", { method: "POST", headers, body });
    expect(response.status).toBe(503);
    expect(await state()).toMatchObject({ state: "locked" });
    await expect(t.mutation(internal.data.keys.keep, {})).rejects.toThrow("GLEANER_DATA_KEY");
  });
});
