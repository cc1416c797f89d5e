import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rates } from "../app/jobs/limits.ts";
import { api } from "./_generated/api.js";
import {
  addOrganization,
  type Backend,
  type Organization,
  secret,
  signIn,
  startBackend,
} from "./testing/backend.fixture.ts";

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

describe("calls of the HTTP API", () => {
  it("are refused as OpenAI refuses them once a key makes too many, and let through later", async () => {
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

  it("of one key are not counted for another, and a wrong key is refused as such", async () => {
    const other = await addOrganization(t, { name: "Other" });
    while ((await models(acme.apiKey)).status === 200);
    expect((await models(other.apiKey)).status).toBe(200);
    expect((await models(secret("sk-gleaner-"))).status).toBe(401);
  });
});

const enroll = async (code: string, deviceKey = secret("gd_")) =>
  await t.mutation(api.devices.enroll, { code, deviceKey, name: "laptop", platform: "linux-x64" });

describe("guessing", () => {
  it("at enrolment codes ends: even a right one has to wait then, but not a device that is enrolled", async () => {
    const deviceKey = secret("gd_");
    expect(await enroll(acme.code, deviceKey)).toMatchObject({ kind: "enrolled" });
    for (let count = 0; count < rates.wrongCodes.burst; count += 1) {
      expect(await enroll(`GLN-2222-2222-${String(1_000 + count)}`)).toEqual({
        kind: "refused",
        reason: "unknown-code",
      });
    }
    const refusal = { data: { code: "rate_limited", retryAfterMs: 2_000 } };
    await expect(enroll("GLN-2222-2222-2222")).rejects.toMatchObject(refusal);
    await expect(enroll(acme.code)).rejects.toMatchObject(refusal);
    expect(await enroll(acme.code, deviceKey)).toMatchObject({ kind: "enrolled" });
    vi.setSystemTime(Date.now() + 60_000);
    expect(await enroll(acme.code)).toMatchObject({ kind: "enrolled" });
  });

  it("at sign-in links ends, and what was guessed right before is not counted", async () => {
    await signIn(t, acme);
    const guess = async () =>
      await t.mutation(api.admin.signIn, { token: secret("gs_"), session: secret("gs_") });
    for (let count = 0; count < rates.wrongLinks.burst; count += 1) {
      expect(await guess()).toEqual({ kind: "refused", reason: "unknown-link" });
    }
    await expect(guess()).rejects.toThrow("Too many wrong ones were tried. Try again in 2 seconds.");
  });
});
