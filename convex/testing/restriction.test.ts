import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { restrictionRules } from "../../app/keys/restriction.ts";
import { api } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addDevice,
  allJobs,
  chat,
  claim,
  complete,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  fail,
  listKeys,
  modelId,
  pass,
  secret,
  statusOf,
  submit,
  submitWork,
  take,
} from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

type World = Awaited<ReturnType<typeof openWorld>>;

let { t, acme, session }: World = {} as World;
let devices: Device[];

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  devices = [];
  for (const name of ["first", "second", "third"]) {
    const device = await addDevice(t, acme, name);
    await take(t, device);
    devices.push(device);
  }
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
});

const hourMs = 3_600_000;

const device = (at: number): Device => devices[at] ?? expect.fail("no such device");

const submitJson = async (apiKey = acme.apiKey): Promise<string> =>
  await submitWork(t, apiKey, { kind: "chat", request: chat("Hi", { format: { kind: "json" } }) });

/** The device says that the request stopped its runner. The job may be tried again a moment later. */
async function stop(by: Device, jobId: string, code = "request_crashed"): Promise<void> {
  await fail(t, by, await claim(t, by, jobId), { code, byJob: true });
  await pass(t, 1_000);
}

/** Two requests, each of which stops the runners of two devices. */
async function stopTwice(submitOne: () => Promise<string>): Promise<void> {
  for (const code of ["request_crashed", "request_timeout"]) {
    const jobId = await submitOne();
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    await stop(device(0), jobId, code);
    await stop(device(1), jobId, code);
    expect(await statusOf(t, acme, jobId)).toBe("failed");
  }
}

const watched = async (jobId: string) => await t.query(api.requests.watch, { apiKey: acme.apiKey, jobId });

const keyRow = async () => {
  const [row] = await listKeys(t, session);
  return row ?? expect.fail("no key");
};

const audit = async (action: string) => {
  const paginationOpts = { numItems: 50, cursor: null };
  const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
  return page.filter((entry) => entry.action === action);
};

async function post(body: object): Promise<Response> {
  return await t.fetch("/v1/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${acme.apiKey}` },
    body: JSON.stringify({ model: modelId, messages: [{ role: "user", content: "Hi" }], ...body }),
  });
}

describe("a key whose schemas stop the runners of several devices", () => {
  it("may send no schema for an hour, but plain requests", async () => {
    await stopTwice(submitJson);
    await expectRefusal(submitJson(), "key_restricted");
    const tools = [{ name: "weather" }];
    const withTools = submitWork(t, acme.apiKey, { kind: "chat", request: chat("Hi", { tools }) });
    await expectRefusal(withTools, "key_restricted");
    await complete(t, device(2), await claim(t, device(2), await submit(t, acme)));
    await pass(t, hourMs);
    expect(await statusOf(t, acme, await submitJson())).toBe("ready");
  });

  it("may send one that fails once", async () => {
    const jobId = await submitJson();
    for (const by of [device(0), device(1)]) await stop(by, jobId);
    expect(await statusOf(t, acme, jobId)).toBe("failed");
    expect(await statusOf(t, acme, await submitJson())).toBe("ready");
    expect((await keyRow()).restriction).toBeNull();
  });

  it("has its other jobs of that kind ended at once, each with the reason, and keeps plain ones", async () => {
    const plain = await submit(t, acme);
    const jobIds = [];
    for (let i = 0; i < 120; i += 1) jobIds.push(await submitJson());
    const [first = "", second = "", third = "", running = "", ...waiting] = jobIds;
    await claim(t, device(2), running);
    await stop(device(0), first);
    await stop(device(1), second);
    expect(await statusOf(t, acme, waiting[0] ?? "")).toBe("ready");
    await stop(device(2), third);
    for (let i = 0; i < 5; i += 1) await pass(t, 1);
    for (const jobId of [first, second, third, running, ...waiting]) {
      expect(await watched(jobId)).toMatchObject({
        status: "canceled",
        error: {
          code: "key_restricted",
          message: expect.stringMatching(/refused until 2027-01-15 09:\d\d UTC/) as string,
        },
      });
    }
    expect(await t.query(api.work.held, { key: device(2).key })).toEqual([]);
    await complete(t, device(2), await claim(t, device(2), plain));
  });

  it("does not have a device paused that held those jobs", async () => {
    const holder = device(2);
    for (let i = 0; i < 16; i += 1) await claim(t, holder, await submitJson());
    for (let passed = 0; passed < 240; passed += 15) {
      await pass(t, 15_000);
      for (const { key } of devices) await t.mutation(api.work.heartbeat, { key });
    }
    await stopTwice(submitJson);
    await pass(t, 1_000);
    expect(await t.query(api.work.held, { key: holder.key })).toEqual([]);
    expect((await t.query(api.devices.me, { key: holder.key })).status).toBe("active");
  });

  it("does not restrict other keys", async () => {
    await stopTwice(submitJson);
    const other = secret("sk-gleaner-");
    await t.mutation(api.console.keys.create, {
      session,
      name: "other",
      keyHash: await hashSecret(other),
      prefix: other.slice(0, 14),
    });
    expect(await statusOf(t, acme, await submitJson(other))).toBe("ready");
  });

  it("gets OpenAI's error with the end of the restriction, and is not told to retry at once", async () => {
    await stopTwice(submitJson);
    const refused = await post({ response_format: { type: "json_object" } });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({
      error: {
        code: "key_restricted",
        type: "requests",
        message: expect.stringContaining("Ask your administrator") as string,
      },
    });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(3_500);
    expect(refused.headers.get("x-should-retry")).toBe("false");
  });

  it("gets the same error for calls that wait already", async () => {
    vi.useRealTimers();
    const calls = Array.from(
      { length: 4 },
      async () => await post({ response_format: { type: "json_object" } }),
    );
    await expect.poll(async () => (await allJobs(t, acme)).length).toBe(4);
    for (const by of devices) {
      const [job] = await take(t, by);
      await fail(t, by, job?.attemptId ?? "", { code: "request_timeout", byJob: true });
    }
    for (const response of await Promise.all(calls)) {
      expect(response.status).toBe(429);
      expect(response.headers.get("x-should-retry")).toBe("false");
      expect(await response.json()).toMatchObject({ error: { code: "key_restricted" } });
    }
  });

  it("is shown in the console and in the audit trail, and an admin can lift the restriction", async () => {
    await stopTwice(submitJson);
    const { keyId, restriction } = await keyRow();
    expect(restriction).toMatchObject({ of: "constrained" });
    expect(await audit("api-key.restricted")).toMatchObject([
      { actor: "system", subject: keyId, detail: expect.stringContaining("refused until") as string },
    ]);
    await t.mutation(api.console.keys.liftRestriction, { session, keyId });
    expect((await keyRow()).restriction).toBeNull();
    expect(await audit("api-key.restriction-lifted")).toMatchObject([{ actor: "member", subject: keyId }]);
    expect(await statusOf(t, acme, await submitJson())).toBe("ready");
    // There is nothing to lift now.
    await t.mutation(api.console.keys.liftRestriction, { session, keyId });
    expect(await audit("api-key.restriction-lifted")).toHaveLength(1);
  });

  it("has none of its failed requests retried until then", async () => {
    await stopTwice(submitJson);
    const { page } = await t.query(api.console.jobs.deadLetters, {
      session,
      paginationOpts: { numItems: 10, cursor: null },
    });
    const retry = async (jobId = "") =>
      await t.mutation(api.console.jobs.retryDeadLetter, { session, jobId });
    expect(await retry(page[0]?.jobId)).toEqual({ kind: "restricted" });
    await pass(t, hourMs);
    expect(await retry(page[0]?.jobId)).toEqual({ kind: "ready" });
  });

  it("still gets the answers that it has already", async () => {
    const request = chat("Hi", { format: { kind: "json" } });
    const again = async () =>
      await submitWork(t, acme.apiKey, { kind: "chat", request }, { idempotencyKey: "order-1" });
    const jobId = await again();
    await complete(t, device(2), await claim(t, device(2), jobId), { text: "{}" });
    await stopTwice(submitJson);
    expect(await again()).toBe(jobId);
  });
});

describe("a key whose plain requests stop the runners of several devices", () => {
  it("may send nothing for an hour", async () => {
    await stopTwice(async () => await submit(t, acme));
    await expectRefusal(submit(t, acme), "key_restricted");
    await expectRefusal(submitJson(), "key_restricted");
    await expect(submit(t, acme)).rejects.toThrow(
      /are refused until .* UTC\. After that, send shorter prompts/,
    );
    expect((await keyRow()).restriction).toMatchObject({ of: "all" });
    await pass(t, hourMs);
    expect(await statusOf(t, acme, await submit(t, acme))).toBe("ready");
  });
});

describe("a key whose strict schemas no answer meets", () => {
  const schema = JSON.stringify({ type: "integer", minimum: 1_000 });
  const submitStrict = async (): Promise<string> => {
    const request = chat("Hi", { format: { kind: "json-schema", schema } });
    return await submitWork(t, acme.apiKey, { kind: "chat", request });
  };
  /** No answer of a job meets its schema. While only one device is known to wait, its word is enough. */
  async function failToMeet(): Promise<void> {
    const jobId = await submitStrict();
    for (const by of devices) {
      if ((await statusOf(t, acme, jobId)) === "failed") break;
      await fail(t, by, await claim(t, by, jobId), { code: "schema_not_met", retryable: false });
      await pass(t, 1_000);
    }
    expect(await statusOf(t, acme, jobId)).toBe("failed");
  }

  it("may send no such schemas for an hour, but others", async () => {
    const waiting = await submitStrict();
    for (let i = 0; i < restrictionRules.unmet; i += 1) await failToMeet();
    await expectRefusal(submitStrict(), "key_restricted");
    expect(await statusOf(t, acme, await submitJson())).toBe("ready");
    for (let i = 0; i < 5; i += 1) await pass(t, 1);
    expect(await watched(waiting)).toMatchObject({ status: "canceled", error: { code: "key_restricted" } });
    expect((await keyRow()).restriction).toMatchObject({ of: "checked" });
    expect(await audit("api-key.restricted")).toHaveLength(1);
    await pass(t, hourMs);
    expect(await statusOf(t, acme, await submitStrict())).toBe("ready");
  });

  it("is not restricted if as many answers meet theirs", async () => {
    for (let i = 0; i < restrictionRules.unmet + 2; i += 1) {
      await failToMeet();
      await complete(t, device(2), await claim(t, device(2), await submitStrict()), { text: "1000" });
    }
    expect((await keyRow()).restriction).toBeNull();
  });
});

describe("a malicious device", () => {
  it("cannot have a key restricted, however many requests it blames", async () => {
    for (let i = 0; i < 12; i += 1) {
      const jobId = await submitJson();
      await fail(t, device(0), await claim(t, device(0), jobId), { code: "request_crashed", byJob: true });
      await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
    }
    expect((await keyRow()).restriction).toBeNull();
    expect(await statusOf(t, acme, await submitJson())).toBe("ready");
  });

  it("is not believed about a request that another device answers", async () => {
    for (const [liar, honest] of [
      [0, 1],
      [1, 2],
      [2, 0],
      [0, 2],
    ] as const) {
      const jobId = await submitJson();
      await stop(device(liar), jobId);
      await complete(t, device(honest), await claim(t, device(honest), jobId), { text: "{}" });
    }
    expect((await keyRow()).restriction).toBeNull();
    expect(await statusOf(t, acme, await submitJson())).toBe("ready");
  });
});
