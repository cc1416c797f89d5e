import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import {
  addDevice,
  chat,
  claim,
  complete,
  fail,
  pass,
  release,
  statusOf,
  submit,
  submitWork,
  take,
} from "./backend.fixture.ts";
import { choose, chooseMode, standingOf } from "./checks.fixture.ts";
import { closePair, openPair, type Pair } from "./pair.fixture.ts";

let { t, acme, session, bad, good, beat, passAlive } = {} as Pair;

beforeEach(async () => {
  ({ t, acme, session, bad, good, beat, passAlive } = await openPair());
});

afterEach(async () => await closePair({ t }));

/** The events of the bad device that are no answers, as they are counted up to now. */
async function events(): Promise<Readonly<Record<string, number | undefined>>> {
  await choose(t);
  const counts = (await standingOf(t, bad))?.standing.counts ?? {};
  // The fixture lets it give one job back, which is still open.
  return Object.fromEntries(Object.entries(counts).filter(([event]) => event !== "result"));
}

/** Lets the good device do all jobs that wait. */
async function finishJobs(): Promise<void> {
  await pass(t, 31_000);
  for (let jobs = await take(t, good, 4); jobs.length > 0; jobs = await take(t, good, 4)) {
    for (const { attemptId } of jobs) await complete(t, good, attemptId);
  }
}

/** Lets the silent device's lease expire, while the other one stays online. */
async function beSilent(): Promise<void> {
  for (let passed = 0; passed < 90_000; passed += 15_000) {
    await pass(t, 15_000);
    await beat(good);
  }
}

/** The good device does the job that the fixture's device gave back. */
beforeEach(async () => {
  await finishJobs();
  expect(await events()).toEqual({ abort: 1 });
});

const over = async (...counted: readonly string[]): Promise<void> => {
  const expected = Object.fromEntries(counted.map((event) => [event, 1]));
  expect(await events()).toEqual({ abort: 1, ...expected });
};

describe("the standing of a device falls", () => {
  it.each(["runner_crashed", "runner_timeout", "model_corrupt", "something_new"])(
    "if it failed with %s at a job that another device did",
    async (code) => {
      await fail(t, bad, await claim(t, bad, await submit(t, acme)), { code });
      await finishJobs();
      await over("failure");
      await over("failure");
    },
  );

  it("if its answer was refused, and another device answered", async () => {
    const attemptId = await claim(t, bad, await submit(t, acme));
    await complete(t, bad, attemptId, { usage: { promptTokens: 1, completionTokens: 64 } });
    await finishJobs();
    await over("failure");
  });

  it("if it held a job for too long", async () => {
    await claim(t, bad, await submit(t, acme));
    await passAlive(16 * 60_000);
    await finishJobs();
    await over("timeout");
  });

  it("as little by a lost job as by one that it gave back", async () => {
    await claim(t, bad, await submit(t, acme));
    await beSilent();
    await finishJobs();
    await over("loss");
    const { standing } = (await standingOf(t, bad))!;
    expect(standing.bad).toBeLessThan(0.021);
  });

  it("by a lost job that nobody answered", async () => {
    const jobId = await submit(t, acme);
    await claim(t, bad, jobId);
    await beSilent();
    await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
    await over("loss");
  });

  it("once for each round of a job that is retried", async () => {
    const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request: chat("Hi", json) });
    await release(t, bad, await claim(t, bad, jobId));
    const verdict = { code: "invalid_grammar", retryable: false };
    for (const device of [good, await addDevice(t, acme, "third")]) {
      await fail(t, device, await claim(t, device, jobId), verdict);
      await pass(t, 3_000);
    }
    expect(await statusOf(t, acme, jobId)).toBe("failed");
    expect(await events()).toEqual({ abort: 2 });
    await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId });
    const [again] = await take(t, bad);
    expect(again).toMatchObject({ jobId });
    await release(t, bad, again!.attemptId);
    await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
    expect(await events()).toEqual({ abort: 3 });
  });
});

const json = { format: { kind: "json" } } as const;

describe("the standing of a device stays", () => {
  it.each([
    "request_crashed",
    "request_timeout",
    "context_too_small",
    "out_of_memory",
    "request_unsupported",
  ])("if it failed with %s, which the request or little memory causes", async (code) => {
    await fail(t, bad, await claim(t, bad, await submit(t, acme)), { code });
    await finishJobs();
    await over();
  });

  it.each(["invalid_grammar", "schema_not_met", "context_length_exceeded"])(
    "if it said %s, also if another device could do the job",
    async (code) => {
      const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request: chat("Hi", json) });
      await fail(t, bad, await claim(t, bad, jobId), { code, retryable: false });
      await pass(t, 31_000);
      for (const { attemptId } of await take(t, good)) await complete(t, good, attemptId, { text: "{}" });
      await over();
    },
  );

  it("if another device failed at the job, too", async () => {
    const jobId = await submit(t, acme);
    for (let tries = 0; tries < 3; tries += 1) {
      for (const device of [bad, good]) {
        await pass(t, 60_000);
        for (const each of [bad, good]) await beat(each);
        await claim(t, device, jobId)
          .then(async (attemptId) => await fail(t, device, attemptId))
          .catch(() => undefined);
      }
    }
    await over();
  });

  it("if the organization checks nothing", async () => {
    await chooseMode(t, acme, "off");
    await fail(t, bad, await claim(t, bad, await submit(t, acme)));
    await finishJobs();
    await over();
  });
});
