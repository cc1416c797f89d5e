import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "./_generated/api.js";
import type { Id } from "./_generated/dataModel.js";
import {
  addDevice,
  addOrganization,
  answer,
  type Backend,
  claim,
  type Device,
  expectRefusal,
  type Organization,
  secret,
  signIn,
  startBackend,
  statusOf,
  submit,
} from "./testing/backend.fixture.ts";
import { hashSecret } from "./model/keys/hash.ts";

let t: Backend;
let acme: Organization;
let device: Device;
let jobId: Id<"jobs">;
let attemptId: Id<"attempts">;
let rival: { readonly apiKey: string; readonly deviceKey: string; readonly session: string };
const paginationOpts = { numItems: 50, cursor: null };

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
  jobId = await submit(t, acme, { stream: true });
  attemptId = await claim(t, device, jobId);
  const organization = await addOrganization(t, { name: "Rival" });
  const { deviceKey } = await addDevice(t, organization);
  rival = { apiKey: organization.apiKey, deviceKey, session: await signIn(t, organization) };
});

afterEach(() => {
  vi.useRealTimers();
});

describe("another organization's id", () => {
  it("is not found by a requester", async () => {
    const { apiKey } = rival;
    await expectRefusal(t.query(api.requests.watch, { apiKey, jobId }), "not_found");
    await expectRefusal(t.mutation(api.requests.cancel, { apiKey, jobId }), "not_found");
  });

  it("is not found, or fenced, for a device", async () => {
    const { deviceKey } = rival;
    const ready = await submit(t, acme);
    expect(await t.query(api.work.ready, { deviceKey })).toEqual([]);
    await expectRefusal(t.mutation(api.work.claim, { deviceKey, jobId: ready }), "not_found");
    const fenced = { kind: "fenced" };
    const error = { code: "internal_error", message: "", retryable: false } as const;
    expect(await t.mutation(api.work.append, { deviceKey, attemptId, seq: 0, text: "x" })).toEqual(fenced);
    expect(
      await t.mutation(api.work.complete, { deviceKey, attemptId, result: answer(), wantsNext: false }),
    ).toEqual(fenced);
    expect(await t.mutation(api.work.fail, { deviceKey, attemptId, error })).toEqual(fenced);
    expect(await t.mutation(api.work.release, { deviceKey, attemptId, reason: "" })).toEqual(fenced);
    expect(await t.query(api.work.held, { deviceKey })).toEqual([]);
  });

  it("is not found by an admin", async () => {
    const { session } = rival;
    const { deviceId } = device;
    const keyId = await t.run(async (ctx) => (await ctx.db.query("apiKeys").first())!._id);
    const codeId = await t.run(async (ctx) => (await ctx.db.query("enrolmentCodes").first())!._id);
    await expectRefusal(t.mutation(api.admin.cancelJob, { session, jobId }), "not_found");
    await expectRefusal(t.mutation(api.admin.retireDevice, { session, deviceId }), "not_found");
    await expectRefusal(t.mutation(api.admin.reinstateDevice, { session, deviceId }), "not_found");
    await expectRefusal(t.mutation(api.admin.revokeKey, { session, keyId }), "not_found");
    await expectRefusal(t.mutation(api.admin.revokeEnrolmentCode, { session, codeId }), "not_found");
  });

  it("stands in none of an admin's lists", async () => {
    const { session } = rival;
    expect((await t.query(api.admin.jobs, { session, paginationOpts })).page).toEqual([]);
    const ready = await t.query(api.admin.jobs, { session, paginationOpts, status: "running" });
    expect(ready.page).toEqual([]);
    expect((await t.query(api.admin.devices, { session })).map(({ deviceId }) => deviceId)).not.toContain(
      device.deviceId,
    );
    expect(await t.query(api.admin.keys, { session })).toHaveLength(1);
    expect(await t.query(api.admin.enrolmentCodes, { session })).toHaveLength(1);
    expect(await t.query(api.admin.summary, { session })).toMatchObject({
      ready: 0,
      running: 0,
      ledgerSum: 0n,
    });
    const audit = await t.query(api.admin.audit, { session, paginationOpts });
    expect(audit.page.map(({ subject }) => subject)).not.toContain(device.deviceId);
    const history = await t.query(api.devices.history, { deviceKey: rival.deviceKey, paginationOpts });
    expect(history.page).toEqual([]);
  });

  it("changed nothing", async () => {
    expect(await statusOf(t, acme, jobId)).toBe("running");
  });
});

describe("two keys of one organization", () => {
  it("do not see each other's jobs", async () => {
    const session = await signIn(t, acme);
    const apiKey = secret("sk-gleaner-");
    const keyHash = await hashSecret(apiKey);
    await t.mutation(api.admin.createKey, { session, name: "second", keyHash, prefix: "sk-gleaner-" });
    await expectRefusal(t.query(api.requests.watch, { apiKey, jobId }), "not_found");
    await expectRefusal(t.mutation(api.requests.cancel, { apiKey, jobId }), "not_found");
  });
});
