import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import { queue } from "../model/queue.ts";
import {
  addDevice,
  addOrganization,
  allJobs,
  type Backend,
  claim,
  complete,
  expectBooksInOrder,
  expectRefusal,
  listKeys,
  modelId,
  type Organization,
  pass,
  secret,
  signIn,
  startBackend,
  statusOf,
  submit,
  take,
  tryClaim,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";

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
    await t.mutation(api.console.account.signIn, { token, session: secret("gs_") });

  it("signs an admin in once per link", async () => {
    expect(await attempt(acme.signInToken)).toMatchObject({
      kind: "signed-in",
      organization: { name: "Acme" },
      member: { name: "Owner", email: null, roles: ["owner"] },
    });
    expect(await attempt(acme.signInToken)).toEqual({ kind: "refused", reason: "used" });
    expect(await attempt(secret("gs_"))).toEqual({ kind: "refused", reason: "unknown-link" });
  });

  it("refuses a sign-in link that is a day old", async () => {
    vi.setSystemTime(Date.now() + 24 * 3_600_000);
    expect(await attempt(acme.signInToken)).toEqual({ kind: "refused", reason: "expired" });
  });

  it("refuses a weak session secret, and that of another admin", async () => {
    const { signInToken: token } = acme;
    await expectRefusal(t.mutation(api.console.account.signIn, { token, session: "gs_1" }), "invalid");
    const session = await signIn(t, acme);
    const another = secret("gs_");
    await t.mutation(internal.setup.signInLink, { tokenHash: await hashSecret(another) });
    await expectRefusal(t.mutation(api.console.account.signIn, { token: another, session }), "conflict");
  });

  it("ends a session that nobody uses for twelve hours, or when the admin signs out", async () => {
    const session = await signIn(t, acme);
    expect(await t.query(api.console.account.me, { session })).toMatchObject({
      organization: { name: "Acme" },
    });
    await pass(t, 12 * 3_600_000);
    await expectRefusal(
      t.mutation(api.console.keys.create, { session, name: "x", keyHash: "0".repeat(64), prefix: "x" }),
      "unauthorized",
    );
    expect(await t.query(api.console.account.me, { session })).toBeNull();

    const token = secret("gs_");
    await t.mutation(internal.setup.signInLink, { tokenHash: await hashSecret(token) });
    const second = secret("gs_");
    await t.mutation(api.console.account.signIn, { token, session: second });
    await t.mutation(api.console.account.signOut, { session: second });
    await t.mutation(api.console.account.signOut, { session: second });
    expect(await t.query(api.console.account.me, { session: second })).toBeNull();
    await expectRefusal(t.query(api.console.overview.summary, { session: second }), "unauthorized");
  });
});

describe("the console", () => {
  it("shows devices and jobs, but never a prompt", async () => {
    const session = await signIn(t, acme);
    const device = await addDevice(t, acme, "Ada's laptop");
    const jobId = await submit(t, acme, { content: "a very private question" });
    const attemptId = await claim(t, device, jobId);
    expect(await listDevices(t, session)).toMatchObject([
      { name: "Ada's laptop", online: true, status: "active", jobsNow: 1, earnedMicro: 0n },
    ]);
    expect(await t.query(api.console.overview.summary, { session })).toMatchObject({
      devicesOnline: 1,
      devicesDonating: 1,
    });
    await complete(t, device, attemptId, { text: "a very private answer" });
    const jobs = await t.query(api.console.jobs.list, { session, paginationOpts });
    expect(jobs.page).toMatchObject([
      {
        jobId,
        kind: "chat",
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

  it("lists a large fleet page by page, and counts it by state", async () => {
    const session = await signIn(t, acme);
    const { organizationId } = acme;
    await t.run(async (ctx) => {
      for (let i = 1; i <= 320; i += 1) {
        const keyHash = await hashSecret(String(i));
        const deviceId = await ctx.db.insert("devices", {
          organizationId,
          workerId: "",
          keyHash,
          name: "long gone",
          platform: "linux-x64",
          status: "active",
          activity: null,
          enrolledAt: i,
          lastChangeAt: i,
        });
        const worker = { keyHash, externalId: deviceId, name: "long gone" };
        await queue.workers.register(ctx, organizationId, worker);
      }
    });
    await addDevice(t, acme, "here");
    await t.action(internal.fleet.steps.followFleet, { organizationId });
    const page = await t.query(api.console.devices.list, {
      session,
      state: "online",
      paginationOpts: { numItems: 50, cursor: null },
    });
    expect(page.page).toMatchObject([{ name: "here" }]);
    expect((await listDevices(t, session)).length).toBe(321);
    expect((await t.query(api.console.devices.counts, { session })).states).toMatchObject({
      donating: 1,
      offline: 320,
    });
  });

  it("pages through all jobs, and through those of one status", async () => {
    const session = await signIn(t, acme);
    const made = [];
    for (let i = 0; i < 3; i += 1) {
      made.push(await submit(t, acme));
      vi.setSystemTime(Date.now() + 1);
    }
    const [oldest] = made;
    if (oldest === undefined) return;
    await t.mutation(api.console.jobs.cancel, { session, jobId: oldest });
    const first = await t.query(api.console.jobs.list, {
      session,
      paginationOpts: { numItems: 2, cursor: null },
    });
    const rest = await t.query(api.console.jobs.list, {
      session,
      paginationOpts: { numItems: 2, cursor: first.continueCursor },
    });
    expect([...first.page, ...rest.page].map(({ jobId }) => jobId)).toEqual([...made].reverse());
    const canceled = await t.query(api.console.jobs.list, { session, paginationOpts, status: "canceled" });
    expect(canceled.page.map(({ jobId }) => jobId)).toEqual([oldest]);
    expect(await t.mutation(api.console.jobs.cancel, { session, jobId: oldest })).toEqual({
      kind: "already-final",
      status: "canceled",
    });
  });

  it("retires a device, which then returns its jobs, and reinstates it", async () => {
    const session = await signIn(t, acme);
    const device = await addDevice(t, acme);
    const { key, deviceId } = device;
    const jobId = await submit(t, acme);
    await claim(t, device, jobId);
    await t.mutation(api.console.devices.retire, { session, deviceId });
    expect(await statusOf(t, acme, jobId)).toBe("ready");
    expect(await t.query(api.devices.me, { key })).toMatchObject({ status: "retired" });
    vi.advanceTimersByTime(1_000);
    expect(await tryClaim(t, device, jobId)).toEqual({ kind: "unable" });
    await expect(take(t, device)).rejects.toThrow("paused");
    await t.mutation(api.console.devices.reinstate, { session, deviceId });
    expect(await take(t, device)).toMatchObject([{ jobId }]);
  });

  it("cancels all jobs of a revoked key, also those that devices run", async () => {
    const device = await addDevice(t, acme, "a");
    const session = await signIn(t, acme);
    const [key] = await listKeys(t, session);
    if (key === undefined) throw new Error("no key");
    const attemptId = await claim(t, device, await submit(t, acme));
    for (let i = 0; i < 60; i += 1) await submit(t, acme);
    await t.mutation(api.console.keys.revoke, { session, keyId: key.keyId });
    for (let i = 0; i < 10; i += 1) await pass(t, 1);
    expect(await t.query(api.work.held, { key: device.key })).toEqual([]);
    expect(await complete(t, device, attemptId)).not.toMatchObject({ kind: "completed" });
    const canceled = (await allJobs(t, acme)).filter(({ status }) => status === "canceled");
    expect(canceled).toHaveLength(61);
    expect(canceled[0]?.error).toEqual({ code: "key_revoked", message: "This API key was revoked." });
    await expectBooksInOrder(t);
  });

  it("creates keys that can spend at once, and revokes them", async () => {
    const session = await signIn(t, acme);
    const apiKey = secret("sk-gleaner-");
    const keyHash = await hashSecret(apiKey);
    const key = { session, name: "batch", keyHash, prefix: apiKey.slice(0, 14) };
    const { keyId } = await t.mutation(api.console.keys.create, { ...key, creditsMicro: 5_000n });
    await expectRefusal(t.mutation(api.console.keys.create, key), "conflict");
    await expectRefusal(t.mutation(api.console.keys.create, { ...key, keyHash: "short" }), "invalid");
    expect(await listKeys(t, session)).toMatchObject([
      { keyId, name: "batch", revokedAt: null, balanceMicro: 5_000n },
      { name: "first key" },
    ]);
    await submit(t, { ...acme, apiKey });
    await t.mutation(api.console.keys.revoke, { session, keyId });
    await expectRefusal(submit(t, { ...acme, apiKey }), "revoked");
    await expectRefusal(t.mutation(internal.requests.admit, { apiKey }), "revoked");
  });

  it("keeps an audit trail, newest first", async () => {
    const session = await signIn(t, acme);
    const { deviceId } = await addDevice(t, acme);
    await t.mutation(api.console.devices.retire, { session, deviceId });
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
    expect(page.map(({ actor, action }) => `${actor} ${action}`)).toEqual([
      "member device.retired",
      "device device.enrolled",
      "member member.signed-in",
      "setup model.added",
      "setup enrolment-code.created",
      "setup api-key.created",
      "setup sign-in-link.created",
      "setup organization.created",
    ]);
  });

  it("names the subjects of the audit trail, and only those of the organization", async () => {
    const session = await signIn(t, acme);
    const { deviceId } = await addDevice(t, acme);
    await t.mutation(api.console.devices.setOldestVersion, { session, version: "0.1.0" });
    const rival = await addOrganization(t, { name: "Rival" });
    const { deviceId: theirs } = await addDevice(t, rival);
    await t.run(async ({ db }) => {
      const entry = { organizationId: acme.organizationId, at: Date.now(), actor: "admin" };
      await db.insert("audit", { ...entry, action: "device.retired", subject: theirs });
      await db.insert("audit", { ...entry, action: "device.retired", subject: "no id" });
      await db.insert("audit", { ...entry, action: "constructor.of", subject: deviceId });
    });
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
    const nameOf = (action: string, subject?: string): string | null | undefined =>
      page.find((row) => row.action === action && (subject ?? row.subject) === row.subject)?.name;
    expect(nameOf("device.enrolled", deviceId)).toBe("laptop");
    expect(nameOf("api-key.created")).toBe("first key");
    expect(nameOf("enrolment-code.created")).toBe("First devices");
    expect(nameOf("organization.created")).toBe("Acme");
    expect(nameOf("version.required")).toBe("Acme");
    expect(nameOf("model.added")).toBeNull();
    expect(nameOf("device.retired", theirs)).toBeNull();
    expect(nameOf("device.retired", "no id")).toBeNull();
    expect(nameOf("constructor.of")).toBeNull();
  });
});

describe("setup", () => {
  it("lists the organizations, and requires an id if there are several", async () => {
    expect(await t.query(internal.setup.status, {})).toEqual({
      organizations: [{ id: acme.organizationId, name: "Acme" }],
    });
    const rival = await addOrganization(t, { name: "Rival" });
    const tokenHash = await hashSecret(secret("gs_"));
    await expectRefusal(t.mutation(internal.setup.signInLink, { tokenHash }), "invalid");
    await t.mutation(internal.setup.signInLink, { tokenHash, organizationId: rival.organizationId });
  });

  it("issues API keys and enrollment codes", async () => {
    const apiKey = secret("sk-gleaner-");
    await t.mutation(internal.setup.issueKey, {
      keyHash: await hashSecret(apiKey),
      name: "demo",
      prefix: "sk-gleaner-",
    });
    await submit(t, { ...acme, apiKey });
    const code = "GLN-ABCD-EFGH-JKMN";
    await t.mutation(internal.setup.issueEnrollmentCode, {
      codeHash: await hashSecret(code),
      label: "demo",
      uses: 2,
      expiresInHours: 1,
    });
    await addDevice(t, { ...acme, code });
  });
});
