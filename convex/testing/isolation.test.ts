import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changeHeldMs } from "../../app/jobs/limits.ts";
import { api, internal } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import { queue } from "../model/queue.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  claim,
  complete,
  type Device,
  expectRefusal,
  fail,
  listKeys,
  type Organization,
  pass,
  release,
  secret,
  signIn,
  startBackend,
  statusOf,
  submit,
  take,
  tryClaim,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { countStatistics } from "./statistics.fixture.ts";

let t: Backend;
let acme: Organization;
let device: Device;
let jobId: string;
let attemptId: string;
let rival: { readonly apiKey: string; readonly device: Device; readonly session: string };
const paginationOpts = { numItems: 50, cursor: null };

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
  jobId = await submit(t, acme, { stream: true });
  attemptId = await claim(t, device, jobId);
  const organization = await addOrganization(t, { name: "Rival" });
  const rivals = await addDevice(t, organization);
  rival = { apiKey: organization.apiKey, device: rivals, session: await signIn(t, organization) };
});

const lanesOf = async ({ organizationId }: Organization) =>
  await t.run(async (ctx) => await queue.lanes.list(ctx, organizationId));

afterEach(() => {
  vi.useRealTimers();
});

describe("isolation of organizations", () => {
  it("hides a job from the requesters of another organization", async () => {
    const { apiKey } = rival;
    await expectRefusal(t.query(api.requests.watch, { apiKey, jobId }), "not_found");
    await expectRefusal(t.mutation(api.requests.cancel, { apiKey, jobId }), "not_found");
    const { keyId } = await t.query(internal.requests.identify, { apiKey });
    await expectRefusal(t.query(internal.requests.watchAdmitted, { keyId, jobId }), "not_found");
    await expectRefusal(t.mutation(internal.requests.followAdmitted, { keyId, jobId }), "not_found");
    await expectRefusal(t.mutation(internal.requests.cancelAdmitted, { keyId, jobId }), "not_found");
  });

  it("hides a job from the devices of another organization, and fences their calls", async () => {
    const { key } = rival.device;
    const ready = await submit(t, acme);
    expect(await take(t, rival.device, 8)).toEqual([]);
    expect((await t.query(api.work.candidates, { key, subscriptions: [] })).jobs).toEqual([]);
    expect(await tryClaim(t, rival.device, ready)).toEqual(await tryClaim(t, rival.device, "no job"));
    expect(await tryClaim(t, rival.device, ready)).toEqual({ kind: "taken" });
    const fenced = { kind: "fenced" };
    expect(await t.mutation(api.work.append, { key, attemptId, seq: 0, text: "x" })).toEqual(fenced);
    expect(await t.mutation(api.work.progress, { key, attemptId, view: 1 })).toEqual(fenced);
    const jobs = [{ kind: "chat", payload: null }];
    expect(await t.mutation(api.work.submit, { key, attemptId, first: 0, jobs })).toEqual(fenced);
    expect(await complete(t, rival.device, attemptId)).toMatchObject(fenced);
    expect(await fail(t, rival.device, attemptId)).toMatchObject(fenced);
    expect(await release(t, rival.device, attemptId)).toEqual({ fenced: [attemptId] });
    expect(await t.mutation(api.work.start, { key, attemptIds: [attemptId] })).toEqual({
      fenced: [attemptId],
    });
    expect(await t.query(api.work.held, { key })).toEqual([]);
  });

  it("hides every row from the admins of another organization", async () => {
    const { session } = rival;
    const { deviceId } = device;
    const keyId = await t.run(async (ctx) => (await ctx.db.query("apiKeys").first())!._id);
    const codeId = await t.run(async (ctx) => (await ctx.db.query("enrolmentCodes").first())!._id);
    await expectRefusal(t.mutation(api.console.jobs.cancel, { session, jobId }), "not_found");
    await expectRefusal(t.mutation(api.console.devices.retire, { session, deviceId }), "not_found");
    await expectRefusal(t.mutation(api.console.devices.reinstate, { session, deviceId }), "not_found");
    await expectRefusal(t.mutation(api.console.devices.approve, { session, deviceId }), "not_found");
    await expectRefusal(t.mutation(api.console.devices.refuse, { session, deviceId }), "not_found");
    await expectRefusal(t.query(api.console.codes.devices, { session, codeId }), "not_found");
    const act = { kind: "retire" as const, group: "" };
    await expectRefusal(
      t.mutation(api.console.bulkDevices.prepare, { session, act, chosen: { codeId } }),
      "not_found",
    );
    await expectRefusal(t.mutation(api.console.keys.revoke, { session, keyId }), "not_found");
    await expectRefusal(t.mutation(api.console.codes.revoke, { session, codeId }), "not_found");
    const { laneId } = (await lanesOf(acme))[0]!;
    const state = "paused" as const;
    await expectRefusal(t.mutation(api.console.queue.setLaneState, { session, laneId, state }), "not_found");
    await expectRefusal(t.mutation(api.console.jobs.retryDeadLetter, { session, jobId }), "not_found");
    await expectRefusal(
      t.mutation(api.console.jobs.changeSoon, { session, act: "discard", jobIds: [jobId] }),
      "not_found",
    );
    const limit = { session, keyId, concurrency: 1, weight: 1 };
    await expectRefusal(t.mutation(api.console.keys.setLimit, limit), "not_found");
    const labels = { session, deviceId, groups: ["x"], dataClasses: [] };
    await expectRefusal(t.mutation(api.console.devices.label, labels), "not_found");
    const limited = { session, deviceId, limits: {} };
    await expectRefusal(t.mutation(api.console.devices.limit, limited), "not_found");
  });

  it("leaves the rows of another organization out of all lists", async () => {
    const { session } = rival;
    expect((await t.query(api.console.jobs.list, { session, paginationOpts })).page).toEqual([]);
    const ready = await t.query(api.console.jobs.list, { session, paginationOpts, status: "running" });
    expect(ready.page).toEqual([]);
    expect((await listDevices(t, session)).map(({ deviceId }) => deviceId)).not.toContain(device.deviceId);
    expect(await listKeys(t, session)).toHaveLength(1);
    expect(await t.query(api.console.codes.list, { session })).toHaveLength(1);
    expect(await t.query(api.console.overview.summary, { session })).toMatchObject({
      money: { ledgerSum: 0n },
    });
    const audit = await t.query(api.console.audit.list, { session, paginationOpts });
    expect(audit.page.map(({ subject }) => subject)).not.toContain(device.deviceId);
    const { key } = rival.device;
    expect((await t.query(api.devices.history, { key, paginationOpts })).page).toEqual([]);
    expect(await t.query(api.console.queue.stats, { session })).toMatchObject({
      ready: { count: 0, exact: true },
      running: { count: 0, exact: true },
      workers: { online: 1 },
      lanes: [],
    });
    await complete(t, device, attemptId);
    await countStatistics(t, acme);
    for (const by of ["model", "lane", "key", "device"] as const) {
      const report = { session, by, range: "day" as const, until: Date.now() };
      expect(await t.query(api.console.statistics.report, report)).toMatchObject({
        points: [],
        subjects: [],
      });
    }
  });

  it("hides dead letters from the admins of another organization, who cannot retry them", async () => {
    const { session } = rival;
    await fail(t, device, attemptId, { retryable: false });
    expect((await t.query(api.console.jobs.deadLetters, { session, paginationOpts })).page).toEqual([]);
    await t.mutation(api.console.jobs.retryAllSoon, { session });
    await pass(t, changeHeldMs);
    expect(await statusOf(t, acme, jobId)).toBe("failed");
  });

  it("leaves the job of another organization running", async () => {
    expect(await statusOf(t, acme, jobId)).toBe("running");
  });
});

describe("isolation of API keys", () => {
  it("hides a key's jobs from the organization's other keys", async () => {
    const session = await signIn(t, acme);
    const apiKey = secret("sk-gleaner-");
    const keyHash = await hashSecret(apiKey);
    await t.mutation(api.console.keys.create, { session, name: "second", keyHash, prefix: "sk-gleaner-" });
    await expectRefusal(t.query(api.requests.watch, { apiKey, jobId }), "not_found");
    await expectRefusal(t.mutation(api.requests.cancel, { apiKey, jobId }), "not_found");
  });
});
