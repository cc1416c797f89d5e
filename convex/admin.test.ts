import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "./_generated/api.js";
import { releasedPauseMs } from "./model/jobs/claim.ts";
import { hashSecret } from "./model/keys/hash.ts";
import { present } from "./model/load.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  claim,
  complete,
  expectBooksInOrder,
  expectRefusal,
  modelId,
  type Organization,
  secret,
  signIn,
  startBackend,
  statusOf,
  submit,
} from "./testing/backend.fixture.ts";

let t: Backend;
let acme: Organization;
const paginationOpts = { numItems: 50, cursor: null };

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t);
});

afterEach(async () => {
  await expectBooksInOrder(t);
  vi.useRealTimers();
});

describe("signing in", () => {
  const attempt = async (token: string) =>
    await t.mutation(api.admin.signIn, { token, session: secret("gs_") });

  it("works once per link", async () => {
    expect(await attempt(acme.signInToken)).toMatchObject({
      kind: "signed-in",
      organization: { name: "Acme" },
      role: "admin",
    });
    expect(await attempt(acme.signInToken)).toEqual({ kind: "refused", reason: "used" });
    expect(await attempt(secret("gs_"))).toEqual({ kind: "refused", reason: "unknown-link" });
  });

  it("ends with the link's day", async () => {
    vi.setSystemTime(Date.now() + 24 * 3_600_000);
    expect(await attempt(acme.signInToken)).toEqual({ kind: "refused", reason: "expired" });
  });

  it("refuses a session that is no secret, and one that is somebody's", async () => {
    const { signInToken: token } = acme;
    await expectRefusal(t.mutation(api.admin.signIn, { token, session: "gs_1" }), "invalid");
    const session = await signIn(t, acme);
    const another = secret("gs_");
    await t.mutation(internal.setup.signInLink, { tokenHash: await hashSecret(another) });
    await expectRefusal(t.mutation(api.admin.signIn, { token: another, session }), "conflict");
  });

  it("lasts twelve hours, or until signing out", async () => {
    const session = await signIn(t, acme);
    expect(await t.query(api.admin.me, { session })).toMatchObject({ organization: { name: "Acme" } });
    vi.advanceTimersByTime(12 * 3_600_000);
    await expectRefusal(
      t.mutation(api.admin.createKey, { session, name: "x", keyHash: "0".repeat(64), prefix: "x" }),
      "unauthorized",
    );
    await t.finishInProgressScheduledFunctions();
    expect(await t.query(api.admin.me, { session })).toBeNull();

    const token = secret("gs_");
    await t.mutation(internal.setup.signInLink, { tokenHash: await hashSecret(token) });
    const second = secret("gs_");
    await t.mutation(api.admin.signIn, { token, session: second });
    await t.mutation(api.admin.signOut, { session: second });
    await t.mutation(api.admin.signOut, { session: second });
    expect(await t.query(api.admin.me, { session: second })).toBeNull();
    await expectRefusal(t.query(api.admin.summary, { session: second }), "unauthorized");
  });
});

describe("the console", () => {
  it("shows devices and jobs, and never a prompt", async () => {
    const session = await signIn(t, acme);
    const device = await addDevice(t, acme, "Ada's laptop");
    const jobId = await submit(t, acme, { content: "a very private question" });
    const attemptId = await claim(t, device, jobId);
    expect(await t.query(api.admin.devices, { session })).toMatchObject([
      { name: "Ada's laptop", online: true, status: "active", holding: 1, earnedMicro: 0n },
    ]);
    expect(await t.query(api.admin.summary, { session })).toMatchObject({
      ready: 0,
      running: 1,
      devicesOnline: 1,
      devicesDonating: 1,
    });
    await complete(t, device, attemptId, { text: "a very private answer" });
    const jobs = await t.query(api.admin.jobs, { session, paginationOpts });
    expect(jobs.page).toMatchObject([
      {
        jobId,
        model: modelId,
        status: "succeeded",
        keyName: "first key",
        attempts: [{ number: 1, deviceName: "Ada's laptop", status: "succeeded" }],
        usage: { promptTokens: 10, completionTokens: 3 },
        priceMicro: 38n,
        error: null,
      },
    ]);
    const seen = JSON.stringify(jobs, (_key, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(seen).not.toContain("private");
  });

  it("lists whoever is online, however many are not, and says how many there are", async () => {
    const session = await signIn(t, acme);
    const { deviceId } = await addDevice(t, acme, "long gone");
    await t.run(async (ctx) => {
      const { _id, _creationTime, ...device } = present(await ctx.db.get("devices", deviceId), "device");
      for (let i = 1; i < 320; i += 1) {
        await ctx.db.insert("devices", { ...device, keyHash: String(i), enrolledAt: i, online: false });
      }
      await ctx.db.patch("devices", deviceId, { online: false });
    });
    await addDevice(t, acme, "here");
    const rows = await t.query(api.admin.devices, { session });
    expect(rows.filter(({ online }) => online)).toMatchObject([{ name: "here" }]);
    expect(rows.length).toBe(300);
    expect(await t.query(api.admin.deviceCount, { session })).toEqual({ total: 321, listed: 300 });
  });

  it("pages through jobs, by status too", async () => {
    const session = await signIn(t, acme);
    const made = [];
    for (let i = 0; i < 3; i += 1) {
      made.push(await submit(t, acme));
      vi.setSystemTime(Date.now() + 1);
    }
    const [oldest] = made;
    if (oldest === undefined) return;
    await t.mutation(api.admin.cancelJob, { session, jobId: oldest });
    const first = await t.query(api.admin.jobs, { session, paginationOpts: { numItems: 2, cursor: null } });
    const rest = await t.query(api.admin.jobs, {
      session,
      paginationOpts: { numItems: 2, cursor: first.continueCursor },
    });
    expect([...first.page, ...rest.page].map(({ jobId }) => jobId)).toEqual([...made].reverse());
    const canceled = await t.query(api.admin.jobs, { session, paginationOpts, status: "canceled" });
    expect(canceled.page.map(({ jobId }) => jobId)).toEqual([oldest]);
    expect(await t.mutation(api.admin.cancelJob, { session, jobId: oldest })).toEqual({
      kind: "already-final",
      status: "canceled",
    });
  });

  it("retires a device, which gives its jobs back, and reinstates it", async () => {
    const session = await signIn(t, acme);
    const { deviceKey, deviceId } = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await claim(t, { deviceKey }, jobId);
    await t.mutation(api.admin.retireDevice, { session, deviceId });
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    expect(await t.query(api.devices.me, { deviceKey })).toMatchObject({ status: "retired" });
    expect(await t.mutation(api.work.claim, { deviceKey, jobId })).toEqual({ kind: "unable" });
    await t.mutation(api.admin.reinstateDevice, { session, deviceId });
    vi.advanceTimersByTime(releasedPauseMs);
    expect(await t.mutation(api.work.claim, { deviceKey, jobId })).toMatchObject({ kind: "claimed" });
  });

  it("cancels what waits when a key is revoked, all of it, and lets a device finish what it has", async () => {
    const device = await addDevice(t, acme);
    const session = await signIn(t, acme);
    const [key] = await t.query(api.admin.keys, { session });
    if (key === undefined) throw new Error("no key");
    const attemptId = await claim(t, device, await submit(t, acme));
    for (let i = 0; i < 60; i += 1) await submit(t, acme);
    await t.mutation(api.admin.revokeKey, { session, keyId: key.keyId });
    vi.advanceTimersByTime(1);
    await t.finishInProgressScheduledFunctions();
    expect(await t.query(api.work.ready, { deviceKey: device.deviceKey })).toEqual([]);
    const canceled = await t.run(async (ctx) => {
      const jobs = await ctx.db.query("jobs").take(100);
      return jobs.filter(({ status }) => status === "canceled").length;
    });
    expect(canceled).toBe(60);
    expect(await complete(t, device, attemptId)).toMatchObject({ kind: "settled" });
  });

  it("makes keys that can spend at once, and revokes them", async () => {
    const session = await signIn(t, acme);
    const apiKey = secret("sk-gleaner-");
    const keyHash = await hashSecret(apiKey);
    const key = { session, name: "batch", keyHash, prefix: apiKey.slice(0, 14) };
    const { keyId } = await t.mutation(api.admin.createKey, { ...key, creditsMicro: 5_000n });
    await expectRefusal(t.mutation(api.admin.createKey, key), "conflict");
    await expectRefusal(t.mutation(api.admin.createKey, { ...key, keyHash: "short" }), "invalid");
    expect(await t.query(api.admin.keys, { session })).toMatchObject([
      { keyId, name: "batch", revokedAt: null, balanceMicro: 5_000n },
      { name: "first key" },
    ]);
    await submit(t, { ...acme, apiKey });
    await t.mutation(api.admin.revokeKey, { session, keyId });
    await expectRefusal(submit(t, { ...acme, apiKey }), "revoked");
    await expectRefusal(t.query(internal.requests.models, { apiKey }), "revoked");
  });

  it("keeps an audit trail, the newest first", async () => {
    const session = await signIn(t, acme);
    const { deviceId } = await addDevice(t, acme);
    await t.mutation(api.admin.retireDevice, { session, deviceId });
    const { page } = await t.query(api.admin.audit, { session, paginationOpts });
    expect(page.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      "admin device.retired",
      "device device.enrolled",
      "admin admin.signed-in",
      "setup enrolment-code.created",
      "setup api-key.created",
      "setup sign-in-link.created",
      "setup organization.created",
    ]);
  });
});

describe("setup", () => {
  it("finds its organizations, and asks which one where there are several", async () => {
    expect(await t.query(internal.setup.status, {})).toEqual({
      organizations: [{ id: acme.organizationId, name: "Acme" }],
    });
    const rival = await addOrganization(t, { name: "Rival" });
    const tokenHash = await hashSecret(secret("gs_"));
    await expectRefusal(t.mutation(internal.setup.signInLink, { tokenHash }), "invalid");
    await t.mutation(internal.setup.signInLink, { tokenHash, organizationId: rival.organizationId });
  });

  it("issues keys and codes", async () => {
    const apiKey = secret("sk-gleaner-");
    await t.mutation(internal.setup.issueKey, {
      keyHash: await hashSecret(apiKey),
      name: "demo",
      prefix: "sk-gleaner-",
    });
    await submit(t, { ...acme, apiKey });
    const code = "GLN-ABCD-EFGH-JKMN";
    await t.mutation(internal.setup.issueEnrolmentCode, {
      codeHash: await hashSecret(code),
      label: "demo",
      uses: 2,
      expiresInHours: 1,
    });
    await addDevice(t, { ...acme, code });
  });
});
