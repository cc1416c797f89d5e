import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Role } from "../../app/people/roles.ts";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { retryBatch } from "../model/orders/retry.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  claim,
  complete,
  countQueue,
  expectBooksInOrder,
  expectRefusal,
  fail,
  listKeys,
  modelId,
  type Organization,
  pass,
  price,
  signIn,
  statusOf,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
const paginationOpts = { numItems: 50, cursor: null };

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(async () => {
  await expectBooksInOrder(t);
  closeWorld();
});

const keyIdOf = async (): Promise<Id<"apiKeys">> => (await listKeys(t, session))[0]!.keyId;

const listed = async (filter: object): Promise<string[]> => {
  const { page } = await t.query(api.console.jobs.list, { session, paginationOpts, ...filter });
  return page.map(({ jobId }) => jobId);
};

const join = async (roles: readonly Role[]) => await joinAs(t, session, { name: roles.join(), roles });

describe("finding jobs", () => {
  it("finds a job by its id, by the API's id and by its idempotency key, exactly", async () => {
    await addDevice(t, acme);
    const jobId = await submit(t, acme, { idempotencyKey: "letters-7" });
    const find = async (text: string) => await t.query(api.console.jobs.find, { session, text });
    expect(await find(` ${jobId} `)).toBe(jobId);
    expect(await find(`chatcmpl-${jobId}`)).toBe(jobId);
    expect(await find("letters-7")).toBe(jobId);
    expect(await find("letters")).toBeNull();
    expect(await find("")).toBeNull();
    const rival = await signIn(t, await addOrganization(t, { name: "Rival" }));
    expect(await t.query(api.console.jobs.find, { session: rival, text: jobId })).toBeNull();
    const requester = await join(["requester"]);
    expect(await t.query(api.console.jobs.find, { session: requester.session, text: jobId })).toBeNull();
  });

  it("lists the jobs of a key, a device, a model, a status and a time", async () => {
    const [device, other] = [await addDevice(t, acme), await addDevice(t, acme, "idle")];
    const done = await submit(t, acme);
    await complete(t, device, await claim(t, device, done));
    const at = Date.now();
    const waits = await submit(t, acme);
    expect(await listed({ keyId: await keyIdOf() })).toEqual([waits, done]);
    expect(await listed({ deviceId: device.deviceId })).toEqual([done]);
    expect(await listed({ deviceId: device.deviceId, status: "failed" })).toEqual([]);
    expect(await listed({ deviceId: other.deviceId })).toEqual([]);
    expect(await listed({ model: modelId, status: "ready" })).toEqual([waits]);
    expect(await listed({ model: "another" })).toEqual([]);
    expect(await listed({ to: at + 1 })).toHaveLength(2);
    expect(await listed({ from: at + 1 })).toEqual([]);
    await expectRefusal(listed({ keyId: "nonsense" }), "not_found");
    const rival = await addOrganization(t, { name: "Rival" });
    const stranger = { session: await signIn(t, rival), paginationOpts };
    const theirs = { ...stranger, keyId: await keyIdOf() };
    await expectRefusal(t.query(api.console.jobs.list, theirs), "not_found");
    const ofDevice = { ...stranger, deviceId: device.deviceId };
    await expectRefusal(t.query(api.console.jobs.list, ofDevice), "not_found");
  });
});

describe("why a job waits", () => {
  const waitOf = async (jobId: string) => (await t.query(api.console.jobs.get, { session, jobId })).wait;

  it("says who paused its lane and since when, and that no device donates", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    expect(await waitOf(jobId)).toEqual({ kind: "no-worker" });
    const [lane] = (await t.query(api.console.queue.stats, { session })).lanes;
    const { laneId } = lane!;
    await t.mutation(api.console.queue.setLaneState, { session, laneId, state: "paused" });
    const me = await t.query(api.console.account.me, { session });
    expect(await waitOf(jobId)).toEqual({ kind: "paused", by: me?.member.name, since: Date.now() });
    await t.mutation(api.console.queue.setLaneState, { session, laneId, state: "open" });
    await claim(t, device, jobId);
    expect(await waitOf(jobId)).toBeNull();
  });

  it("names the limit of its key", async () => {
    await addDevice(t, acme);
    const limit = { session, keyId: await keyIdOf(), concurrency: 1, weight: null };
    await t.mutation(api.console.keys.setLimit, limit);
    const jobId = await submit(t, acme);
    expect(await waitOf(jobId)).toEqual({ kind: "limit", limit: 1, constrained: false });
  });
});

describe("the page of a job", () => {
  it("tells its attempts, its tokens and how its price came about", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await fail(t, device, await claim(t, device, jobId));
    const failed = await t.query(api.console.jobs.get, { session, jobId });
    expect(failed).toMatchObject({
      wait: { kind: "time", retried: true },
      failures: 1,
      attempts: [
        { status: "failed", deviceId: device.deviceId, error: { code: expect.any(String) as unknown } },
      ],
    });
    const second = await submit(t, acme);
    await complete(t, device, await claim(t, device, second));
    const done = await t.query(api.console.jobs.get, { session, jobId: second });
    const { usage, cost, priceMicro, attempts } = done;
    expect(attempts[0]?.work?.usage).toEqual(usage);
    expect(cost).toMatchObject({ price, percent: 100, settled: true });
    const { promptTokens, completionTokens } = usage!;
    const full = BigInt(promptTokens) * price.promptMicro + BigInt(completionTokens) * price.completionMicro;
    expect(priceMicro).toBe(full);
  });

  it("shows an operator no key and no money, and a requester no device's id", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await complete(t, device, await claim(t, device, jobId));
    const operator = await join(["operator"]);
    const seen = await t.query(api.console.jobs.get, { session: operator.session, jobId });
    expect(seen).toMatchObject({ keyId: null, priceMicro: null, cost: null, payload: "not-allowed" });
    const { session: theirs, memberId } = await join(["requester"]);
    await t.run(async (ctx) => await ctx.db.patch("apiKeys", await keyIdOf(), { owner: memberId }));
    const own = await t.query(api.console.jobs.get, { session: theirs, jobId });
    expect(own).toMatchObject({ attempts: [{ deviceId: null }], payload: "allowed" });
    expect(own.priceMicro).not.toBeNull();
  });
});

describe("requests and answers", () => {
  const look = async (by: string, jobId: string) =>
    await t.mutation(api.console.payloads.look, { session: by, jobId });
  const looks = async () => {
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
    return page.filter(({ action }) => action === "job.payload-read");
  };

  it("are shown to the job's requester only, and each look is in the audit trail", async () => {
    const device = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    await complete(t, device, await claim(t, device, jobId), { text: "a private answer" });
    const { session: theirs, memberId } = await join(["requester"]);
    await expectRefusal(look(theirs, jobId), "not_found");
    await expectRefusal(look(session, jobId), "forbidden");
    expect(await looks()).toEqual([]);
    await t.run(async (ctx) => await ctx.db.patch("apiKeys", await keyIdOf(), { owner: memberId }));
    expect((await look(theirs, jobId)).answer).toEqual([{ from: "assistant", text: "a private answer" }]);
    await look(theirs, jobId);
    expect(await looks()).toMatchObject([
      { subject: jobId, by: "requester" },
      { subject: jobId, by: "requester" },
    ]);
    expect(JSON.stringify(await t.query(api.console.audit.list, { session, paginationOpts }))).not.toContain(
      "private",
    );
    await expectRefusal(look((await join(["operator"])).session, jobId), "forbidden");
  });

  it("are shown to owners while the organization allows it, and to no administrator", async () => {
    await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const setAccess = async (ownersMayLook: boolean) =>
      await t.mutation(api.console.payloads.setAccess, { session, ownersMayLook });
    await setAccess(true);
    expect((await look(session, jobId)).request).not.toBeNull();
    const { session: admin } = await join(["admin"]);
    await expectRefusal(look(admin, jobId), "forbidden");
    await expectRefusal(
      t.mutation(api.console.payloads.setAccess, { session: admin, ownersMayLook: true }),
      "forbidden",
    );
    await setAccess(false);
    await expectRefusal(look(session, jobId), "forbidden");
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
    expect(page.filter(({ action }) => action === "payload-access.changed")).toHaveLength(2);
  });
});

it("leaves dead letters alone that no retry can mend, if asked to", async () => {
  const device = await addDevice(t, acme);
  const hopeless = await submit(t, acme);
  const error = { code: "context_length_exceeded", retryable: false };
  await fail(t, device, await claim(t, device, hopeless), error);
  const late = await submit(t, acme);
  await pass(t, 86_400_001);
  await countQueue(t);
  expect([await statusOf(t, acme, hopeless), await statusOf(t, acme, late)]).toEqual(["failed", "expired"]);
  const by = { actor: "system" as const, at: Date.now() };
  const all = { cursor: null, onlyMendable: true };
  const next = await t.run(async (ctx) => await retryBatch(ctx, acme.organizationId, all, by));
  expect(next).toBeNull();
  expect([await statusOf(t, acme, hopeless), await statusOf(t, acme, late)]).toEqual(["failed", "ready"]);
});
