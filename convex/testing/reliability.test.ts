import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import {
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
  tryClaim,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { closePair, openPair, type Pair } from "./pair.fixture.ts";
import { makeSigningKey, registrationOf } from "./signing.fixture.ts";

let { t, acme, session, bad, good, statusOfDevice, beat, passAlive } = {} as Pair;

beforeEach(async () => {
  ({ t, acme, session, bad, good, statusOfDevice, beat, passAlive } = await openPair());
});

afterEach(async () => await closePair({ t }));

/** A job of which a device may say that it cannot be done. */
const submitJson = async () =>
  await submitWork(t, acme.apiKey, { kind: "chat", request: chat("Hi", { format: { kind: "json" } }) });

const audit = async () => {
  const paginationOpts = { numItems: 50, cursor: null };
  return (await t.query(api.console.audit.list, { session, paginationOpts })).page;
};

/** Lets the good device take jobs again, do those that it is given, and wait. */
async function finishJobs(): Promise<void> {
  await pass(t, 31_000);
  for (let jobs = await take(t, good, 4); jobs.length > 0; jobs = await take(t, good, 4)) {
    for (const { attemptId } of jobs) await complete(t, good, attemptId);
  }
  await pass(t, 3_000);
}

type Misdeed = (attemptId: string, jobId: string) => Promise<unknown>;

/** How many jobs the bad device gets until it is paused. */
async function jobsUntilPaused(misdeed: Misdeed, most = 20): Promise<number> {
  for (let jobs = 1; jobs <= most; jobs += 1) {
    const jobId = await submit(t, acme);
    const claimed = await tryClaim(t, bad, jobId);
    if (claimed.kind !== "claimed") throw new Error(`not claimed: ${claimed.kind}`);
    await misdeed(claimed.job.attemptId, jobId);
    await pass(t, 10);
    await finishJobs();
    expect(await statusOf(t, acme, jobId)).toMatch(/succeeded|canceled/);
    if ((await statusOfDevice(bad)) === "paused") return jobs;
  }
  return Infinity;
}

/** Lets time pass in steps, because each scheduled function schedules the next one. */
async function passSlowly(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 2_000) await pass(t, 2_000);
}

describe("a device that fails", () => {
  it.each<[string, Misdeed, number]>([
    ["all its jobs", (attemptId) => fail(t, bad, attemptId), 5],
    [
      "with a lie about the request",
      (attemptId) => fail(t, bad, attemptId, { code: "invalid_grammar", retryable: false }),
      5,
    ],
    [
      "with wrong answers",
      (attemptId) => complete(t, bad, attemptId, { usage: { promptTokens: 1, completionTokens: 64 } }),
      5,
    ],
    ["by its silence", async () => await passSlowly(60_000), 10],
    ["never, but does not answer either", async () => await passAlive(16 * 60_000), 5],
    [
      "never, but holds its jobs until they are canceled",
      async (_, jobId) => {
        await passAlive(4 * 60_000);
        await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
      },
      5,
    ],
  ])(
    "%s, is paused within 20 jobs",
    async (_, misdeed, most) => {
      expect(await jobsUntilPaused(misdeed)).toBeLessThanOrEqual(most);
      await finishJobs();
      expect(await t.mutation(api.work.take, { key: bad.key, demand: { jobs: 1 } })).toEqual({
        kind: "unable",
        reason: "paused",
      });
      expect((await audit()).filter(({ action }) => action === "device.paused")).toMatchObject([
        {
          actor: "system",
          subject: bad.deviceId,
          detail: expect.stringMatching(/of its last \d+ jobs failed/) as string,
        },
      ]);
    },
    60_000,
  );

  it("is resumed by an admin, and its earlier failures do not count anymore", async () => {
    await jobsUntilPaused((attemptId) => fail(t, bad, attemptId));
    const rows = await listDevices(t, session);
    expect(rows.find(({ deviceId }) => deviceId === bad.deviceId)).toMatchObject({
      status: "paused",
      pause: { failed: 5, of: 5, cause: "errors" },
    });
    await pass(t, 10);
    await t.mutation(api.console.devices.resume, { session, deviceId: bad.deviceId });
    expect(await statusOfDevice(bad)).toBe("active");
    await take(t, bad);
    await pass(t, 31_000);
    await fail(t, bad, await claim(t, bad, await submit(t, acme)));
    await pass(t, 10);
    expect(await statusOfDevice(bad)).toBe("active");
  });

  it("is not blamed for jobs at which other devices fail, too", async () => {
    for (let i = 0; i < 12; i += 1) {
      const jobId = await submitJson();
      for (const device of [bad, good]) {
        await fail(t, device, await claim(t, device, jobId), { code: "invalid_grammar", retryable: false });
        await pass(t, 10);
      }
      expect(await statusOf(t, acme, jobId)).toBe("failed");
      await pass(t, 3_000);
    }
    expect(await Promise.all([bad, good].map(statusOfDevice))).toEqual(["active", "active"]);
  });

  it("is not blamed by one key for answers that break a schema, which is chance", async () => {
    const schema = '{"type":"object","properties":{"n":{"type":"number","minimum":3}}}';
    const format = { kind: "json-schema" as const, schema };
    const notMet = { code: "schema_not_met", retryable: false };
    for (let i = 0; i < 6; i += 1) {
      const request = chat("Say a number.", { format });
      const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request });
      await fail(t, bad, await claim(t, bad, jobId), notMet);
      await pass(t, 10);
      if (i % 2 === 0) {
        const said = { text: '{"n":4}', usage: { promptTokens: 10, completionTokens: 6 } };
        expect(await complete(t, good, await claim(t, good, jobId), said)).toMatchObject({
          kind: "completed",
        });
      }
      await pass(t, 3_000);
    }
    expect(await statusOfDevice(bad)).toBe("active");
  });

  it("is not blamed for a job with a checked schema that it could not yet have written three times", async () => {
    const schema = '{"type":"object","properties":{"n":{"type":"number","minimum":3}}}';
    for (let i = 0; i < 5; i += 1) {
      const request = chat("Say a number.", {
        format: { kind: "json-schema" as const, schema },
        maxTokens: 400,
      });
      const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request });
      await claim(t, bad, jobId);
      await passAlive(6 * 60_000);
      await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
      await pass(t, 10);
    }
    expect(await statusOfDevice(bad)).toBe("active");
  });

  it("is resumed by itself once others fail at the same jobs", async () => {
    const jobIds = [];
    for (let i = 0; i < 5; i += 1) {
      jobIds.push(await submitJson());
      await fail(t, bad, await claim(t, bad, jobIds.at(-1) ?? ""), {
        code: "invalid_grammar",
        retryable: false,
      });
      await pass(t, 3_000);
    }
    expect(await statusOfDevice(bad)).toBe("paused");
    for (const jobId of jobIds) {
      await fail(t, good, await claim(t, good, jobId), { code: "invalid_grammar", retryable: false });
      await pass(t, 3_000);
    }
    expect(await statusOfDevice(bad)).toBe("active");
    expect((await audit()).find(({ action }) => action === "device.resumed")).toMatchObject({
      actor: "system",
    });
  });

  it("is not paused for jobs that it gives back, or that are canceled soon", async () => {
    for (let i = 0; i < 25; i += 1) {
      const jobId = await submit(t, acme);
      const attemptId = await claim(t, bad, jobId);
      if (i % 2 === 0) await release(t, bad, attemptId);
      else await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
      await finishJobs();
    }
    expect(await statusOfDevice(bad)).toBe("active");
  });

  it("is not paused for jobs in reserve that it never started", async () => {
    const able = { ...greeting().capabilities, concurrency: 1, prefetch: 1 };
    await t.mutation(api.work.hello, { key: bad.key, ...greeting(), capabilities: able });
    for (let i = 0; i < 6; i += 1) {
      const running = await claim(t, bad, await submit(t, acme));
      const jobId = await submit(t, acme);
      expect(await tryClaim(t, bad, jobId)).toMatchObject({ kind: "claimed", job: { begun: false } });
      await passAlive(4 * 60_000);
      await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
      await complete(t, bad, running);
      await pass(t, 10);
      expect(await statusOfDevice(bad)).toBe("active");
    }
  });

  it("is not paused while it is the only one", async () => {
    await t.mutation(api.work.goodbye, { key: good.key });
    for (let i = 0; i < 12; i += 1) {
      const request = chat("Hi", { format: { kind: "json" } });
      const jobId = await submitWork(t, acme.apiKey, { kind: "chat", request });
      await fail(t, bad, await claim(t, bad, jobId), { code: "invalid_grammar", retryable: false });
      expect(await statusOf(t, acme, jobId)).toBe("failed");
      await pass(t, 3_000);
      await beat(bad);
    }
    expect(await statusOfDevice(bad)).toBe("active");
  });
});

describe("a retired device", () => {
  it("reads nothing but that it is retired", async () => {
    await complete(t, bad, await claim(t, bad, await submit(t, acme)));
    const { key } = bad;
    const before = await t.query(api.devices.me, { key });
    expect(before).toMatchObject({ organization: { name: "Acme" }, models: [{}] });
    await t.mutation(api.console.devices.retire, { session, deviceId: bad.deviceId });
    expect(await t.query(api.devices.me, { key })).toEqual({
      deviceId: bad.deviceId,
      name: before.name,
      signingKey: before.signingKey,
      resultVersion: before.resultVersion,
      status: "retired",
      organization: { id: "", name: "" },
      needsVersion: null,
      askedVersion: null,
      requestedPause: null,
      limits: null,
      models: [],
      heldBack: [],
      catalog: null,
      policy: { values: {}, locked: [] },
      sharing: null,
    });
    const again = { code: "GLN-AAAA-BBBB-CCCC", key, name: "again", platform: "test" };
    await expectRetired(t.mutation(api.devices.enroll, again));
    const paginationOpts = { numItems: 10, cursor: null };
    await expectRetired(t.query(api.devices.history, { key, paginationOpts }));
    await expectRetired(t.query(api.devices.earnings, { key, since: 0 }));
    expect(await t.query(api.devices.modelPieces, { key, sha256: "ab".repeat(32) })).toBeNull();
    await submit(t, acme);
    expect(await t.query(api.work.candidates, { key, subscriptions: [] })).toEqual({
      subscriptions: [],
      jobs: [],
    });
    expect(await t.query(api.work.handed, { key })).toEqual([]);
    expect(await t.query(api.work.held, { key })).toEqual([]);
  });

  it("writes nothing", async () => {
    const { key } = bad;
    await t.mutation(api.console.devices.retire, { session, deviceId: bad.deviceId });
    const before = await listDevices(t, session);
    const models = [{ modelId, state: "ready" as const }];
    await expectRetired(t.mutation(api.work.hello, { key, ...greeting(["other"], true), version: "9.9.9" }));
    await expectRetired(
      t.mutation(api.devices.report, { key, activity: { kind: "holding", reason: "retired" } }),
    );
    await expectRetired(t.mutation(api.devices.reportModels, { key, models }));
    const signingKey = registrationOf(makeSigningKey(), key);
    await expectRetired(t.mutation(api.devices.registerSigningKey, { key, signingKey }));
    expect(await listDevices(t, session)).toEqual(before);
  });

  const expectRetired = async (call: Promise<unknown>) => {
    await expect(call).rejects.toThrow("retired");
  };
});

describe("a device with an old version", () => {
  const hello = async ({ key }: Device, version: string) =>
    await t.mutation(api.work.hello, { key, ...greeting([modelId]), version });
  const requireVersion = async (version: string) => {
    await t.mutation(api.console.devices.setOldestVersion, { session, version });
    await pass(t, 10);
  };

  it("gets no jobs until it is updated", async () => {
    // An organization's setting may be from before a change of the protocol that needs a newer version.
    await t.run(
      async (ctx) => await ctx.db.patch("organizations", acme.organizationId, { oldestVersion: "0.0.1" }),
    );
    expect(await t.query(api.console.devices.oldestVersion, { session })).toBe("0.1.0");
    await hello(bad, "0.0.9");
    expect(await t.query(api.devices.me, { key: bad.key })).toMatchObject({
      status: "outdated",
      needsVersion: "0.1.0",
    });
    await requireVersion("0.10.0");
    expect(await Promise.all([bad, good].map(statusOfDevice))).toEqual(["outdated", "outdated"]);
    expect(await t.mutation(api.work.take, { key: good.key, demand: { jobs: 1 } })).toEqual({
      kind: "unable",
      reason: "paused",
    });
    await hello(good, "0.10.0-beta.1");
    expect(await t.query(api.devices.me, { key: good.key })).toMatchObject({
      status: "active",
      needsVersion: null,
      limits: null,
    });
    expect(await take(t, good)).toHaveLength(1);
    await requireVersion("0.1.0");
    expect(await statusOfDevice(bad)).toBe("outdated");
    await hello(bad, "0.1.0");
    expect(await statusOfDevice(bad)).toBe("active");
  });

  it.each(["", "1", "v1.0.0", "1.0.0.0", "0.0.1"])(
    "cannot be required to have the version %j",
    async (version) => {
      await expect(requireVersion(version)).rejects.toThrow();
    },
  );
});
