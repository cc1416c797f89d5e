import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import { ratingsOf } from "../model/ratings/ofDevice.ts";
import {
  addDevice,
  addOrganization,
  answerMicro,
  type Backend,
  claim,
  complete,
  type Device,
  expectBooksInOrder,
  expectRefusal,
  listKeys,
  modelId,
  type Organization,
  pass,
  secret,
  signIn,
  startBackend,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";

const dayMs = 24 * 3_600_000;

let t: Backend;
let acme: Organization;
let device: Device;
let admin: string;

beforeEach(async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ["Date"], shouldAdvanceTime: true });
  t = startBackend();
  acme = await addOrganization(t);
  device = await addDevice(t, acme);
  admin = await signIn(t, acme);
});

afterEach(() => {
  vi.useRealTimers();
});

async function answeredJob(by: { readonly apiKey: string } = acme): Promise<string> {
  const jobId = await submit(t, { ...acme, ...by });
  await complete(t, device, await claim(t, device, jobId));
  return jobId;
}

async function call(method: string, jobId: string, body?: unknown, apiKey = acme.apiKey) {
  const response = await t.fetch(`/v1/jobs/${jobId}/rating`, {
    method,
    headers: { authorization: `Bearer ${apiKey}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const rows = async () => await t.run(async (ctx) => await ctx.db.query("ratings").collect());
const actions = async (): Promise<string[]> =>
  (await t.run(async (ctx) => await ctx.db.query("audit").collect())).map(({ action }) => action);

describe("POST /v1/jobs/ID/rating", () => {
  it("rates an answer, changes the rating, and removes it", async () => {
    const jobId = await answeredJob();
    const rated = await call("POST", jobId, { rating: "good" });
    expect(rated).toMatchObject({ status: 200, body: { id: jobId, object: "job.rating", rating: "good" } });
    const worse = { rating: "bad", reason: "incomplete", comment: "Half of it is missing." };
    expect((await call("POST", jobId, worse)).body).toMatchObject({ ...worse, dispute: null });
    expect((await call("GET", jobId)).body).toMatchObject(worse);
    const deleted = { id: jobId, object: "job.rating", deleted: true };
    expect(await call("DELETE", jobId)).toEqual({ status: 200, body: deleted });
    expect(await call("DELETE", jobId)).toEqual({ status: 200, body: deleted });
    expect(await call("GET", jobId)).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
    expect(await rows()).toEqual([]);
  });

  it("changes nothing if it is repeated", async () => {
    const jobId = await answeredJob();
    const given = { rating: "bad", reason: "wrong", dispute: true };
    const first = await call("POST", jobId, given);
    await pass(t, 60_000);
    expect(await call("POST", jobId, given)).toEqual(first);
    expect(await rows()).toHaveLength(1);
    expect((await actions()).filter((action) => action.startsWith("dispute."))).toEqual(["dispute.opened"]);
  });

  it.each([
    [{ rating: "good", dispute: true }, "dispute"],
    [{ rating: "good", reason: "wrong" }, "reason"],
    [{ rating: "bad", comment: "x".repeat(1_001) }, "comment"],
    [{ rating: "fine" }, "rating"],
    [{}, "rating"],
  ])("refuses %o", async (body, param) => {
    const jobId = await answeredJob();
    expect(await call("POST", jobId, body)).toMatchObject({ status: 400, body: { error: { param } } });
    expect(await rows()).toEqual([]);
  });

  it("refuses a job without an answer, the job of another key, and a job that was deleted", async () => {
    const open = await submit(t, acme);
    const early = await call("POST", open, { rating: "bad" });
    expect(early).toMatchObject({ status: 409, body: { error: { code: "job_not_answered" } } });
    const jobId = await answeredJob();
    const other = await addOrganization(t, { name: "Other" });
    for (const method of ["GET", "POST", "DELETE"]) {
      const body = method === "POST" ? { rating: "bad" } : undefined;
      expect((await call(method, jobId, body, other.apiKey)).status).toBe(404);
    }
    expect((await call("PUT", jobId)).status).toBe(405);
    expect(await rows()).toEqual([]);
  });
});

/** A member with a key of their own. */
async function requester(
  name: string,
): Promise<{ apiKey: string; session: string; memberId: Id<"members"> }> {
  const { session, memberId } = await joinAs(t, admin, { name, roles: ["requester"] });
  const apiKey = secret("sk-gleaner-");
  const { keyId } = await t.mutation(api.console.keys.create, {
    session,
    name,
    keyHash: await hashSecret(apiKey),
    prefix: apiKey.slice(0, 14),
  });
  await t.mutation(api.console.money.grants.change, {
    session: admin,
    holder: keyId,
    micro: 1_000_000_000n,
    reason: "start",
  });
  return { apiKey, session, memberId };
}

const disputed = {
  rating: "bad",
  reason: "wrong",
  comment: "It says 12, but it is 14.",
  dispute: true,
} as const;

describe("the console", () => {
  it("lets a requester rate their own jobs, and nobody else", async () => {
    const ann = await requester("Ann");
    const bob = await requester("Bob");
    const jobId = await answeredJob(ann);
    const given = { ...disputed, dispute: false };
    const rate = async (session: string) =>
      await t.mutation(api.console.work.ratings.rate, { session, jobId, given });
    await expectRefusal(rate(bob.session), "not_found");
    expect(await rate(admin)).toMatchObject({ refused: { code: "forbidden" } });
    expect(await rate(ann.session)).toEqual({ kind: "done" });
    const seen = async (session: string) => await t.query(api.console.jobs.get, { session, jobId });
    expect(await seen(ann.session)).toMatchObject({ mayRate: true, rating: { comment: disputed.comment } });
    expect(await seen(admin)).toMatchObject({ mayRate: false, rating: { comment: disputed.comment } });
    const { session: operator } = await joinAs(t, admin, { name: "Op", roles: ["operator"] });
    expect(await seen(operator)).toMatchObject({ mayRate: false, rating: { rating: "bad", comment: null } });
    const paginationOpts = { numItems: 10, cursor: null };
    const { page } = await t.query(api.console.jobs.list, { session: operator, paginationOpts });
    expect(page[0]).toMatchObject({ rated: { rating: "bad", dispute: null } });
    const { session: remover } = ann;
    expect(await t.mutation(api.console.work.ratings.remove, { session: remover, jobId })).toEqual({
      kind: "done",
    });
    expect(await seen(ann.session)).toMatchObject({ rating: null });
  });

  it("shows a donor the counts of their device, and no comment anywhere", async () => {
    const ann = await requester("Ann");
    const { session: donor, memberId } = await joinAs(t, admin, { name: "Don", roles: ["donor"] });
    const { deviceId } = device;
    await t.run(async (ctx) => await ctx.db.patch("devices", deviceId, { owner: memberId }));
    await call("POST", await answeredJob(ann), disputed, ann.apiKey);
    await call("POST", await answeredJob(ann), { rating: "good" }, ann.apiKey);
    const counts = await t.query(api.console.work.ratings.ofDevice, { session: donor, deviceId });
    expect(counts).toEqual({ good: 1, bad: 1, upheld: 0, more: false });
    const paginationOpts = { numItems: 10, cursor: null };
    const attempts = await t.query(api.console.devices.attempts, {
      session: donor,
      deviceId,
      paginationOpts,
    });
    expect(attempts.page).toHaveLength(2);
    const found = await t.query(api.console.devices.get, { session: donor, deviceId });
    expect(JSON.stringify([counts, attempts, found], (_, value: unknown) => String(value))).not.toContain(
      "14",
    );
    const list = { session: donor, state: "open" as const, paginationOpts };
    await expectRefusal(t.query(api.console.work.ratings.disputes, list), "forbidden");
  });
});

describe("a dispute", () => {
  const list = async (state: "open" | "settled" | "rejected") => {
    const paginationOpts = { numItems: 10, cursor: null };
    return (await t.query(api.console.work.ratings.disputes, { session: admin, state, paginationOpts })).page;
  };
  const balance = async (): Promise<bigint> => (await listKeys(t, admin))[0]?.balanceMicro ?? 0n;

  it("is on the administrators' list, and settled with a refund that the ledger and the audit trail have", async () => {
    const jobId = await answeredJob();
    await call("POST", jobId, disputed);
    expect(await list("open")).toMatchObject([
      { jobId, model: modelId, deviceId: device.deviceId, comment: disputed.comment, decision: null },
    ]);
    await pass(t, 5_000);
    await t.mutation(internal.maintenance.project, {});
    const before = await balance();
    const settle = { session: admin, jobId, reason: "Ann is right.", refund: true };
    await t.mutation(api.console.work.ratings.settle, settle);
    expect((await balance()) - before).toBe(answerMicro);
    await expectBooksInOrder(t);
    const entries = await t.run(async (ctx) =>
      (await ctx.db.query("ledgerEntries").collect()).filter(
        ({ transferKey }) => transferKey === `refund:${jobId}`,
      ),
    );
    expect(entries.map(({ kind, micro, jobId }) => [kind, micro, jobId])).toEqual([
      ["issue", -answerMicro, jobId],
      ["issue", answerMicro, jobId],
    ]);
    const moves = await t.run(async (ctx) => await ctx.db.query("keyMoves").collect());
    expect(moves.at(-1)).toMatchObject({ micro: answerMicro, source: { kind: "refund" } });
    expect(await list("open")).toEqual([]);
    expect(await list("settled")).toMatchObject([
      { decision: { reason: settle.reason, refundMicro: answerMicro } },
    ]);
    expect((await actions()).filter((action) => action.startsWith("dispute."))).toEqual([
      "dispute.opened",
      "dispute.settled",
    ]);
    expect((await call("GET", jobId)).body).toMatchObject({
      dispute: { status: "settled", decision: "Ann is right.", refund_micro: String(answerMicro) },
    });
  });

  it("is decided once, and its rating then stays", async () => {
    const jobId = await answeredJob();
    await call("POST", jobId, disputed);
    const decide = { session: admin, jobId, reason: "The answer is right." };
    await t.mutation(api.console.work.ratings.reject, decide);
    const again = t.mutation(api.console.work.ratings.settle, { ...decide, refund: true });
    await expectRefusal(again, "conflict");
    for (const method of ["POST", "DELETE"]) {
      const changed = await call(method, jobId, method === "POST" ? { rating: "good" } : undefined);
      expect(changed).toMatchObject({ status: 409, body: { error: { code: "dispute_decided" } } });
    }
    await t.mutation(api.console.work.ratings.reopen, { session: admin, jobId });
    expect(await list("open")).toHaveLength(1);
    await t.mutation(api.console.work.ratings.settle, { ...decide, refund: true });
    await expectRefusal(t.mutation(api.console.work.ratings.reopen, { session: admin, jobId }), "conflict");
  });

  it("is withdrawn by a better rating, or with the rating", async () => {
    const jobId = await answeredJob();
    await call("POST", jobId, disputed);
    await call("POST", jobId, { rating: "good" });
    expect(await list("open")).toEqual([]);
    await call("POST", jobId, disputed);
    await call("DELETE", jobId);
    expect(await list("open")).toEqual([]);
    const opened = ["dispute.opened", "dispute.withdrawn", "dispute.opened", "dispute.withdrawn"];
    expect((await actions()).filter((action) => action.startsWith("dispute."))).toEqual(opened);
  });

  it("gives a revoked key no refund, and stays open then", async () => {
    const jobId = await answeredJob();
    await call("POST", jobId, disputed);
    const [key] = await listKeys(t, admin);
    await t.mutation(api.console.keys.revoke, { session: admin, keyId: key!.keyId });
    const settle = { session: admin, jobId, reason: "Yes." };
    await expectRefusal(t.mutation(api.console.work.ratings.settle, { ...settle, refund: true }), "revoked");
    expect(await list("open")).toHaveLength(1);
    await t.mutation(api.console.work.ratings.settle, { ...settle, refund: false });
    expect(await list("open")).toEqual([]);
  });
});

describe("the ratings for a device's standing", () => {
  const counted = async (since = 0) =>
    await t.run(async (ctx) => await ratingsOf(ctx, device.deviceId, modelId, since));

  it("count three of each requester, since a time, and no own jobs", async () => {
    const ann = await requester("Ann");
    const bob = await requester("Bob");
    for (let job = 0; job < 5; job += 1)
      await call("POST", await answeredJob(ann), { rating: "bad" }, ann.apiKey);
    await call("POST", await answeredJob(bob), { rating: "good" }, bob.apiKey);
    expect(await counted()).toEqual({ praised: 1, criticized: 3, upheld: 0 });
    expect(await counted(Date.now() + 1)).toEqual({ praised: 0, criticized: 0, upheld: 0 });
    await t.run(async (ctx) => await ctx.db.patch("devices", device.deviceId, { owner: ann.memberId }));
    const own = await answeredJob(ann);
    await call("POST", own, { rating: "good" }, ann.apiKey);
    expect((await rows()).at(-1)).toMatchObject({ jobId: own, ownJob: true });
    expect(await counted()).toEqual({ praised: 1, criticized: 3, upheld: 0 });
  });
});

describe("the daily maintenance", () => {
  it("deletes ratings after 90 days", async () => {
    await call("POST", await answeredJob(), { rating: "good" });
    vi.setSystemTime(Date.now() + 89 * dayMs);
    await t.mutation(internal.maintenance.deleteOld, {});
    expect(await rows()).toHaveLength(1);
    vi.setSystemTime(Date.now() + 2 * dayMs);
    await t.mutation(internal.maintenance.deleteOld, {});
    expect(await rows()).toEqual([]);
  });

  it("deletes enrollment codes 90 days after their end, a page at a time", async () => {
    const codes = async () => await t.run(async (ctx) => await ctx.db.query("enrolmentCodes").collect());
    const [first] = await codes();
    const { _id, _creationTime, ...fields } = first!;
    await t.run(async (ctx) => {
      for (let code = 0; code < 250; code += 1)
        await ctx.db.insert("enrolmentCodes", {
          ...fields,
          codeHash: secret(""),
          expiresAt: Date.now() - 90 * dayMs - 1,
        });
      await ctx.db.patch("enrolmentCodes", _id, { expiresAt: Date.now() - 89 * dayMs });
    });
    await t.mutation(internal.maintenance.deleteOld, {});
    expect(await codes()).toHaveLength(51);
    await t.finishInProgressScheduledFunctions();
    await t.mutation(internal.maintenance.deleteOld, {});
    expect(await codes()).toMatchObject([{ _id, _creationTime }]);
  });
});
