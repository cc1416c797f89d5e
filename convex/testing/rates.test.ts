import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { rates, waitingCalls } from "../../app/jobs/limits.ts";
import { api, internal } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addOrganization,
  type Backend,
  modelId,
  type Organization,
  secret,
  signIn,
  startBackend,
} from "./backend.fixture.ts";

type Caller = Pick<Backend, "mutation">;

let t: Backend;
let acme: Organization;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  t = startBackend();
  acme = await addOrganization(t);
});

afterEach(() => {
  vi.useRealTimers();
});

const models = async (apiKey: string) =>
  await t.fetch("/v1/models", { headers: { authorization: `Bearer ${apiKey}` } });

describe("waiting calls of the HTTP API", () => {
  const fill = async (count: number) => {
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    const until = Date.now() + 60_000;
    await t.run(async (ctx) => {
      for (let n = 0; n < count; n += 1) await ctx.db.insert("waits", { apiKeyId: keyId, until });
    });
  };

  it("are refused beyond the most of a key, with OpenAI's error, until others have ended", async () => {
    const { keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey });
    const other = await addOrganization(t, { name: "Other" });
    const otherKey = (await t.query(internal.requests.identify, { apiKey: other.apiKey })).keyId;
    const allowed = async (id = keyId) =>
      (await t.query(internal.requests.mayWaitAdmitted, { keyId: id })).allowed;
    await fill(waitingCalls.most - 1);
    expect(await allowed()).toBe(true);
    await fill(1);
    expect([await allowed(), await allowed(otherKey)]).toEqual([false, true]);
    const body = JSON.stringify({ model: modelId, messages: [{ role: "user", content: "Hi" }] });
    const headers = { authorization: `Bearer ${acme.apiKey}` };
    const response = await t.fetch("/v1/chat/completions", { method: "POST", headers, body });
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "5"]);
    expect(await response.json()).toMatchObject({
      error: {
        type: "requests",
        code: "too_many_waiting_calls",
        message: expect.stringContaining(`already has ${String(waitingCalls.most)} calls that wait`),
      },
    });
    vi.setSystemTime(Date.now() + 61_000);
    expect(await allowed()).toBe(true);
    await t.mutation(internal.maintenance.sweepWaits, {});
    expect((await t.run(async (ctx) => await ctx.db.query("waits").collect())).length).toBeLessThan(
      waitingCalls.most,
    );
  });
});

describe("waiting calls of an organization", () => {
  it("are refused beyond their most, whichever of its keys they have", async () => {
    vi.stubEnv("MAX_WAITING_CALLS_OF_ORGANIZATION", "10");
    const session = await signIn(t, acme);
    const keys = [acme.apiKey, secret("sk-gleaner-")];
    const [, second = ""] = keys;
    await t.mutation(api.console.keys.create, {
      session,
      keyHash: await hashSecret(second),
      name: "second",
      prefix: second.slice(0, 14),
    });
    const ids = await Promise.all(
      keys.map(async (apiKey) => (await t.query(internal.requests.identify, { apiKey })).keyId),
    );
    const until = Date.now() + 60_000;
    for (let n = 0; n < 10; n += 1)
      await t.mutation(internal.requests.beginWaitAdmitted, { keyId: ids[n % 2]!, until });
    const other = await addOrganization(t, { name: "Other" });
    const elsewhere = await t.query(internal.requests.identify, { apiKey: other.apiKey });
    const answers = await Promise.all(
      [...ids, elsewhere.keyId].map(
        async (keyId) => await t.query(internal.requests.mayWaitAdmitted, { keyId }),
      ),
    );
    expect(answers.map(({ allowed }) => allowed)).toEqual([false, false, true]);
    const body = JSON.stringify({ model: modelId, messages: [{ role: "user", content: "Hi" }] });
    const headers = { authorization: `Bearer ${second}` };
    const response = await t.fetch("/v1/chat/completions", { method: "POST", headers, body });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({
      error: {
        code: "too_many_waiting_calls",
        message: expect.stringMatching(/^Your organization already has 10 calls that wait/),
      },
    });
    vi.unstubAllEnvs();
  });
});

describe("calls of the HTTP API", () => {
  it("refuses a key's calls with OpenAI's error while it makes too many", async () => {
    let answered = 0;
    let response = await models(acme.apiKey);
    for (; response.status === 200; response = await models(acme.apiKey)) answered += 1;
    expect(answered).toBeGreaterThanOrEqual(rates.apiCalls.burst);
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({
      error: {
        type: "requests",
        code: "rate_limit_exceeded",
        param: null,
        message: expect.stringMatching(/^This API key makes too many calls\. Try again in \d+ seconds?\.$/),
      },
    });
    const seconds = Number(response.headers.get("retry-after"));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(response.headers.get("access-control-expose-headers")).toContain("retry-after");
    vi.setSystemTime(Date.now() + 60_000);
    expect((await models(acme.apiKey)).status).toBe(200);
  });

  it("counts calls per key, and answers a wrong key with its own error", async () => {
    const other = await addOrganization(t, { name: "Other" });
    while ((await models(acme.apiKey)).status === 200);
    expect((await models(other.apiKey)).status).toBe(200);
    expect((await models(secret("sk-gleaner-"))).status).toBe(401);
  });
});

it("lets a call through and logs it if counting fails, but never a wrong key", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
  onTestFinished(() => logged.mockRestore());
  // Without the limiter's component, every call of it fails.
  t = startBackend({ limiter: false });
  acme = await addOrganization(t);
  expect((await models(acme.apiKey)).status).toBe(200);
  expect(logged.mock.calls).toEqual([[expect.stringMatching(/^a call was let through uncounted: \w+ at /)]]);
  expect((await models(secret("sk-gleaner-"))).status).toBe(401);
});

const enroll = async (from: Caller, code: string, key = secret("gd_")) =>
  await from.mutation(api.devices.enroll, { code, key, name: "laptop", platform: "linux-x64" });

const tooMany = { data: { code: "rate_limited", retryAfterMs: 2_000 } };

/** Uses up the wrong codes that are allowed at once. */
async function guessWrong(from: Caller): Promise<void> {
  for (let count = 0; count < rates.wrongCodes.burst; count += 1) {
    expect(await enroll(from, `GLN-2222-2222-${String(1_000 + count)}`)).toEqual({
      kind: "refused",
      reason: "unknown-code",
    });
  }
}

describe("wrong enrollment codes", () => {
  it("limits wrong codes per address: then even a right code must wait, but an enrolled device need not", async () => {
    const [guesser, other] = ["203.0.113.7", "203.0.113.8"].map((ip) => t.withRequestMetadata({ ip }));
    if (guesser === undefined || other === undefined) throw new Error("no callers");
    const key = secret("gd_");
    expect(await enroll(guesser, acme.code, key)).toMatchObject({ kind: "enrolled" });
    await guessWrong(guesser);
    await expect(enroll(guesser, "GLN-2222-2222-2222")).rejects.toMatchObject(tooMany);
    await expect(enroll(guesser, acme.code)).rejects.toMatchObject(tooMany);
    expect(await enroll(guesser, acme.code, key)).toMatchObject({ kind: "enrolled" });
    expect(await enroll(other, acme.code)).toMatchObject({ kind: "enrolled" });
    expect(await enroll(t, acme.code)).toMatchObject({ kind: "enrolled" });
    vi.setSystemTime(Date.now() + 60_000);
    expect(await enroll(guesser, acme.code)).toMatchObject({ kind: "enrolled" });
  });

  it("counts a code that is only looked up like one that enrolls", async () => {
    const guesser = t.withRequestMetadata({ ip: "203.0.113.7" });
    const invitation = async (code: string) => await guesser.mutation(api.devices.invitation, { code });
    for (let count = 0; count < rates.wrongCodes.burst; count += 1) {
      expect(await invitation("GLN-2222-2222-2222")).toMatchObject({ kind: "refused" });
    }
    await expect(invitation(acme.code)).rejects.toMatchObject(tooMany);
  });

  it("limits wrong codes from unknown addresses too, but a right code still works", async () => {
    await guessWrong(t);
    await expect(enroll(t, "GLN-2222-2222-2222")).rejects.toMatchObject(tooMany);
    expect(await enroll(t, acme.code)).toMatchObject({ kind: "enrolled" });
  });
});

it("does not count wrong sign-in links, so they lock nobody out", async () => {
  for (let count = 0; count < 2 * rates.wrongCodes.burst; count += 1) {
    const guess = { token: secret("gs_"), session: secret("gs_") };
    expect(await t.mutation(api.console.account.signIn, guess)).toEqual({
      kind: "refused",
      reason: "unknown-link",
    });
  }
  await signIn(t, acme);
});
