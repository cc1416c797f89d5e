import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "../_generated/api.js";
import {
  addDevice,
  addOrganization,
  addWaiting,
  type Backend,
  chat,
  claim,
  complete,
  type Device,
  expectBooksInOrder,
  fail,
  jobOf,
  type Organization,
  pass,
  release,
  signIn,
  startBackend,
  statusOf,
  submit,
  submitWork,
  take,
  tryClaim,
} from "./backend.fixture.ts";

let t: Backend;
let acme: Organization;
let liar: Device;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t, { contextTokens: 8_192 });
  liar = await addDevice(t, acme, "liar");
});

afterEach(async () => {
  await expectBooksInOrder(t);
  vi.useRealTimers();
});

const longPrompt = { code: "context_length_exceeded", retryable: false };

describe("a device that says that a job cannot be done", () => {
  it.each([
    [["context_length_exceeded", "invalid_grammar", "result_too_large", "runner_crashed"]],
    [["schema_not_met", "wrong_dimensions"]],
  ])("is not believed where the request itself shows that the claims %j are false", async (codes) => {
    const honest = await addWaiting(t, acme);
    for (const code of codes) {
      const jobId = await submit(t, acme);
      await fail(t, liar, await claim(t, liar, jobId), { code, retryable: false });
      await pass(t, 31_000);
      expect(await statusOf(t, acme, jobId)).toBe("ready");
      expect(await tryClaim(t, liar, jobId)).toEqual({ kind: "unable" });
      expect(await complete(t, honest, await claim(t, honest, jobId))).toMatchObject({ kind: "completed" });
    }
  });

  it("needs a second device's same word where nothing proves the claim, without a wait", async () => {
    const second = await addWaiting(t, acme, "second");
    const jobId = await submit(t, acme, { content: "long ".repeat(2_000) });
    await pass(t, 10);
    await fail(t, liar, await claim(t, liar, jobId), longPrompt);
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    expect(await tryClaim(t, liar, jobId)).toEqual({ kind: "unable" });
    await fail(t, second, await claim(t, second, jobId), longPrompt);
    expect(await jobOf(t, acme, jobId)).toMatchObject({
      status: "failed",
      error: { code: "context_length_exceeded" },
    });
  });

  it("is believed about a schema that no answer held, if another device says so, too", async () => {
    const second = await addWaiting(t, acme, "second");
    const schema = '{"type":"object","properties":{"n":{"type":"number","minimum":3}}}';
    const request = { ...chat("Say a number."), format: { kind: "json-schema" as const, schema } };
    const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request });
    const claimed = { code: "schema_not_met", retryable: false };
    await pass(t, 10);
    await fail(t, liar, await claim(t, liar, jobId), claimed);
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    await fail(t, second, await claim(t, second, jobId), claimed);
    expect(await jobOf(t, acme, jobId)).toMatchObject({
      status: "failed",
      error: { code: "schema_not_met", message: expect.stringContaining("three answers") as string },
    });
  });

  it("is believed at once while no other device takes jobs", async () => {
    await addDevice(t, acme, "on standby");
    const jobId = await submit(t, acme, { content: "long ".repeat(2_000) });
    await fail(t, liar, await claim(t, liar, jobId), longPrompt);
    expect(await statusOf(t, acme, jobId)).toBe("failed");
  });

  it.each([{ code: "internal_error" }, { code: "an unknown one" }, { code: "result_refused" }])(
    "is never believed about an error that is not the job's: $code, even while it is the only device",
    async ({ code }) => {
      const jobId = await submit(t, acme);
      for (let i = 1; i <= 4; i += 1) {
        expect(await jobOf(t, acme, jobId)).toMatchObject({ status: "ready", failures: i - 1 });
        await fail(t, liar, await claim(t, liar, jobId), { code, retryable: false });
        await pass(t, 31_000);
        await take(t, liar, 0);
      }
      expect(await statusOf(t, acme, jobId)).toBe("failed");
      const session = await signIn(t, acme);
      expect(await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId })).toEqual({
        kind: "ready",
      });
      expect(await complete(t, liar, await claim(t, liar, jobId))).toMatchObject({ kind: "completed" });
    },
  );

  it("needs more than a second device's same word about such an error", async () => {
    const second = await addWaiting(t, acme, "second");
    const jobId = await submit(t, acme);
    for (const device of [liar, second]) {
      await fail(t, device, await claim(t, device, jobId), { code: "internal_error", retryable: false });
      await pass(t, 31_000);
      await take(t, second, 0);
    }
    expect(await statusOf(t, acme, jobId)).toBe("ready");
  });

  it("cannot use up all tries of a job while another device could run it", async () => {
    const honest = await addWaiting(t, acme);
    const jobId = await submit(t, acme);
    await fail(t, liar, await claim(t, liar, jobId));
    for (let i = 0; i < 4; i += 1) {
      await pass(t, 31_000);
      expect(await tryClaim(t, liar, jobId)).toEqual({ kind: "unable" });
    }
    expect(await complete(t, honest, await claim(t, honest, jobId))).toMatchObject({ kind: "completed" });
  });
});

it("pauses the only device if it hangs at every job", async () => {
  for (let job = 0; job < 6; job += 1) {
    const jobId = await submit(t, acme);
    const attemptId = await claim(t, liar, jobId);
    await t.mutation(api.work.start, { key: liar.key, attemptIds: [attemptId] });
    for (let minute = 0; minute < 6; minute += 1) {
      await t.mutation(api.work.heartbeat, { key: liar.key });
      await pass(t, 60_000);
    }
  }
  // A failure or a returned job is the time to judge a device.
  await release(t, liar, await claim(t, liar, await submit(t, acme)));
  await pass(t, 10);
  expect((await t.query(api.devices.me, { key: liar.key })).status).toBe("paused");
});
