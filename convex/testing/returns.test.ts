import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import {
  addDevice,
  chat,
  claim,
  complete,
  type Device,
  fail,
  greeting,
  modelId,
  pass,
  release,
  statusOf,
  submit,
  submitWork,
  take,
} from "./backend.fixture.ts";
import { closePair, openPair, type Pair } from "./pair.fixture.ts";

let { t, acme, bad, good, statusOfDevice, beat, passAlive } = {} as Pair;

beforeEach(async () => {
  ({ t, acme, bad, good, statusOfDevice, beat, passAlive } = await openPair());
});

afterEach(async () => await closePair({ t }));

const restart = async ({ key }: Device) =>
  await t.mutation(api.work.hello, { key, ...greeting([modelId], true) });

type Way = (attemptId: string, jobId: string, turn: number) => Promise<unknown>;

/** How many jobs the device gets until it is paused. The good device does what it leaves. */
async function jobsUntilPaused(way: Way, most = 25): Promise<number> {
  for (let jobs = 1; jobs <= most; jobs += 1) {
    const jobId = await submit(t, acme);
    await way(await claim(t, bad, jobId), jobId, jobs);
    await pass(t, 1_500);
    if ((await statusOf(t, acme, jobId)) === "ready") await complete(t, good, await claim(t, good, jobId));
    await pass(t, 10);
    if ((await statusOfDevice(bad)) === "paused") return jobs;
  }
  return Infinity;
}

describe("a device that gives its jobs back", () => {
  it.each<[string, Way]>([
    ["at once", async (attemptId) => await release(t, bad, attemptId)],
    [
      "after it held each for six seconds",
      async (attemptId) => {
        await pass(t, 6_000);
        await release(t, bad, attemptId);
      },
    ],
    [
      "after it held each for four minutes",
      async (attemptId) => {
        await passAlive(240_000);
        await release(t, bad, attemptId);
      },
    ],
    [
      "because it restarts each time",
      async () => {
        await pass(t, 6_000);
        await restart(bad);
      },
    ],
    [
      "because it says goodbye each time",
      async () => {
        await t.mutation(api.work.goodbye, { key: bad.key });
        await restart(bad);
      },
    ],
    [
      "and fails every fifth",
      async (attemptId, _, turn) =>
        turn % 5 === 0 ? await fail(t, bad, attemptId) : await release(t, bad, attemptId),
    ],
  ])("%s, is paused within 20 jobs", async (_, way) => {
    expect(await jobsUntilPaused(way)).toBeLessThanOrEqual(20);
  });

  it("is paused within 20 jobs if it never starts those that it is handed", async () => {
    const { key } = good;
    for (const { attemptId } of await take(t, good)) await complete(t, good, attemptId);
    let jobs = 0;
    while (jobs < 20 && (await statusOfDevice(bad)) === "active") {
      // Only the bad device waits, so that it is handed the job.
      await t.mutation(api.work.leave, { key });
      await take(t, bad);
      const jobId = await submit(t, acme, { handOver: true });
      expect(await t.query(api.work.held, { key: bad.key })).toMatchObject([{ jobId, begun: false }]);
      jobs += 1;
      await take(t, good);
      await pass(t, 2_500);
      const late = { key, jobId, late: true, demand: { jobs: 0 } };
      const claimed = await t.mutation(api.work.claim, late);
      if (claimed.kind !== "claimed") throw new Error(claimed.kind);
      await complete(t, good, claimed.job.attemptId);
      await pass(t, 10);
    }
    expect(await statusOfDevice(bad)).toBe("paused");
  });

  it("is paused although many newer devices are online and accept no jobs", async () => {
    for (let each = 0; each < 30; each += 1) await addDevice(t, acme, `new-${String(each)}`);
    expect(await jobsUntilPaused(async (attemptId) => await release(t, bad, attemptId))).toBeLessThanOrEqual(
      20,
    );
  });

  it("cannot hide its failures behind jobs that it gives back", async () => {
    const found = await jobsUntilPaused(async (attemptId, _, turn) => {
      if (turn % 20 === 0) await fail(t, bad, attemptId);
      else {
        await release(t, bad, attemptId);
        // As if a person had come back.
        await pass(t, 10_000);
        await beat(good);
      }
    }, 110);
    // Its fifth failure is at its hundredth job. It is paused for the returns before.
    expect(found).toBeLessThanOrEqual(100);
  });

  it("is not paused for a person who comes and goes all day", async () => {
    for (let i = 0; i < 60; i += 1) {
      const jobId = await submit(t, acme);
      const attemptId = await claim(t, bad, jobId);
      await pass(t, 6_000);
      if (i % 4 === 3) await complete(t, bad, attemptId);
      else await release(t, bad, attemptId);
      await passAlive(10_000);
      if ((await statusOf(t, acme, jobId)) === "ready") await complete(t, good, await claim(t, good, jobId));
      await pass(t, 3_000);
    }
    expect(await statusOfDevice(bad)).toBe("active");
  });

  it("cannot delay one job for ever: after three times another device gets it", async () => {
    const jobId = await submit(t, acme);
    for (let i = 0; i < 3; i += 1) {
      await release(t, bad, await claim(t, bad, jobId));
      await pass(t, 1_000);
    }
    await expect(claim(t, bad, jobId)).rejects.toThrow("unable");
    expect(await complete(t, good, await claim(t, good, jobId))).toMatchObject({ kind: "completed" });
  });
});

/** Tokens that this answer cannot have, so the backend refuses it. */
const refused = { usage: { promptTokens: 1, completionTokens: 64 } };

describe("a requester whose requests make answers fail", () => {
  it("cannot have the only device paused", async () => {
    await t.mutation(api.work.goodbye, { key: good.key });
    for (let i = 0; i < 12; i += 1) {
      const jobId = await submit(t, acme);
      await complete(t, bad, await claim(t, bad, jobId), refused);
      await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
      await pass(t, 3_000);
      await beat(bad);
    }
    expect(await statusOfDevice(bad)).toBe("active");
  });

  it("cannot have a device paused for long by jobs that it cancels before another device tries them", async () => {
    const jobIds = [];
    for (let i = 0; i < 5; i += 1) {
      const jobId = await submit(t, acme);
      jobIds.push(jobId);
      await complete(t, bad, await claim(t, bad, jobId), refused);
      await pass(t, 10);
    }
    expect(await statusOfDevice(bad)).toBe("paused");
    for (const jobId of jobIds) await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
    await pass(t, 3_000);
    expect(await statusOfDevice(bad)).toBe("active");
  });

  it("cannot have a device paused by jobs at which others fail every second time", async () => {
    for (let i = 0; i < 12; i += 1) {
      const request = chat("Hi", { format: { kind: "json" } });
      const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request });
      await complete(t, bad, await claim(t, bad, jobId), refused);
      await pass(t, 31_000);
      for (const device of [bad, good]) await beat(device);
      const again = await claim(t, good, jobId);
      if (i % 2 === 0) await complete(t, good, again, refused);
      else await complete(t, good, again, { text: "{}" });
      await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
      await pass(t, 3_000);
    }
    expect(await statusOfDevice(bad)).toBe("active");
  });

  it("cannot have a device paused for the jobs beside requests that crash every device", async () => {
    for (let i = 0; i < 8; i += 1) {
      const crash = await submit(t, acme);
      const beside: string[] = [];
      while (beside.length < 4) beside.push(await submit(t, acme));
      const crashed = await claim(t, bad, crash);
      const returned: string[] = [];
      for (const jobId of beside) returned.push(await claim(t, bad, jobId));
      await fail(t, bad, crashed);
      for (const attemptId of returned) await release(t, bad, attemptId);
      for (const jobId of beside) await complete(t, good, await claim(t, good, jobId));
      await passAlive(31_000);
      await fail(t, good, await claim(t, good, crash));
      await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId: crash });
      await passAlive(3_000);
    }
    expect(await statusOfDevice(bad)).toBe("active");
    expect(await statusOfDevice(good)).toBe("active");
  });
});
