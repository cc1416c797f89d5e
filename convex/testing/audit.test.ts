import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AuditGroup, subjectWords } from "../../app/audit.ts";
import type { Role } from "../../app/people/roles.ts";
import { api, internal } from "../_generated/api.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addDevice,
  addOrganization,
  type Backend,
  expectRefusal,
  listKeys,
  type Organization,
  pass,
  secret,
  signIn,
  submit,
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { addWebhook } from "./webhook.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

type Filter = Partial<{
  who: string;
  group: AuditGroup;
  action: string;
  subject: string;
  from: number;
  to: number;
}>;

async function rows(filter: Filter = {}, numItems = 90) {
  const paginationOpts = { numItems, cursor: null };
  return (await t.query(api.console.audit.list, { session, paginationOpts, ...filter })).page;
}

async function join(roles: readonly Role[]): ReturnType<typeof joinAs> {
  return await joinAs(t, session, { name: roles.join(), roles, agent: "Firefox" });
}

/** Lets acts run that the scheduler finishes piece by piece. */
async function passOften(): Promise<void> {
  for (let times = 0; times < 6; times += 1) await pass(t, 2_000);
}

describe("an entry of the audit trail", () => {
  it("names the member, the session's method and browser, the address, and before and after", async () => {
    const { deviceId } = await addDevice(t, acme);
    const admin = await join(["admin"]);
    const from = t.withRequestMetadata({ ip: "203.0.113.7" });
    await from.mutation(api.console.devices.limit, {
      session: admin.session,
      deviceId,
      limits: { gpu: false, memoryMb: 2_048 },
    });
    const [row] = await rows({ subject: deviceId });
    expect(row).toMatchObject({
      by: "admin",
      memberId: admin.memberId,
      method: "invitation",
      agent: "Firefox",
      address: "203.0.113.7",
      action: "device.limited",
      detail: "GPU: not set → no; memory (MB): not set → 2048",
    });
  });

  it("names the address of the call that asked for an act, also if the scheduler finishes it", async () => {
    await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const from = t.withRequestMetadata({ ip: "203.0.113.8" });
    const act = { kind: "pause" as const, group: "" };
    const bulkId = await from.mutation(api.console.bulkDevices.prepare, {
      session,
      act,
      chosen: { filters: {} },
    });
    await passOften();
    await from.mutation(api.console.bulkDevices.run, { session, bulkId });
    await from.mutation(api.console.jobs.changeSoon, { session, act: "cancel", jobIds: [jobId] });
    await passOften();
    for (const action of ["devices.changed", "job.canceled"])
      expect(await rows({ action })).toMatchObject([{ action, address: "203.0.113.8" }]);
  });

  it("names its subject, and shows no id of it to a person", async () => {
    const { deviceId } = await addDevice(t, acme);
    const jobId = await submit(t, acme);
    const lane = (await t.query(api.console.queue.stats, { session })).lanes[0]!;
    const { groupRules, views } = api.console.fleet;
    await t.mutation(api.console.queue.setLaneState, { session, laneId: lane.laneId, state: "paused" });
    await t.mutation(api.console.people.setIdle, { session, minutes: 60 });
    await t.mutation(api.console.playground.setCredits, { session, micro: 5_000_000n });
    const rule = { group: "lab", filter: { named: "d" } };
    await t.mutation(groupRules.add, { session, ...rule });
    await t.mutation(views.save, { session, name: "Night", view: {}, shared: true });
    await addWebhook(t, session, "https://alerts.example.org/hook", ["budget.over"], { name: "On call" });
    await t.mutation(api.console.jobs.cancel, { session, jobId });
    await t.mutation(api.console.devices.limit, { session, deviceId, limits: { gpu: false } });
    expect(subjectWords("group-rule.removed", "k".repeat(32))).toBe("A rule of a group");
    const named = (await rows()).map((row) => [
      row.action,
      subjectWords(row.action, row.name ?? row.subject),
    ]);
    expect(Object.fromEntries(named)).toMatchObject({
      "lane.paused": expect.stringContaining(" · chat") as string,
      "session.idle-time-changed": "Acme",
      "playground.credits-changed": "Acme",
      "group-rule.added": "lab",
      "device-view.shared": "Night",
      "webhook.added": "On call",
      "job.canceled": expect.stringContaining(" · first key") as string,
    });
    // An id of this backend begins with many digits.
    for (const [, words] of named) expect(words).not.toMatch(/\d{12}/);
  });

  it("has the values before and after of what an owner sets", async () => {
    await t.mutation(api.console.playground.setCredits, { session, micro: 5_000_000n });
    await t.mutation(api.console.playground.setCredits, { session, micro: 5_000_000n });
    expect(await rows({ action: "playground.credits-changed" })).toMatchObject([
      { detail: "credits of a member for a day: 100,000 → 5" },
    ]);
  });

  it("says that an address is unknown, and has none where nobody called", async () => {
    expect((await rows())[0]).toMatchObject({ action: "member.signed-in", address: "unknown" });
    await pass(t, 13 * 3_600_000);
    const fresh = secret("gs_");
    const token = secret("gs_");
    await t.mutation(internal.setup.signInLink, { tokenHash: await hashSecret(token) });
    await t.mutation(api.console.account.signIn, { token, session: fresh });
    session = fresh;
    expect((await rows()).find(({ action }) => action === "member.session-ended")).toMatchObject({
      actor: "system",
      address: null,
      detail: "nobody used it",
    });
  });

  it("is written when a requester cancels a job, in the name of the API key", async () => {
    const jobId = await submit(t, acme);
    await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
    await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId });
    expect(await rows({ subject: jobId })).toMatchObject([
      { actor: "api-key", by: "first key", action: "job.canceled" },
    ]);
  });

  it("is written when a member signs out, with the session that ended", async () => {
    const other = await join(["auditor"]);
    await t.mutation(api.console.account.signOut, { session: other.session });
    expect((await rows())[0]).toMatchObject({ action: "member.signed-out", method: "invitation" });
  });

  it("is written when a requester's call over HTTP ends before its answer, which cancels its job", async () => {
    const jobId = await submit(t, acme);
    const why = "the call ended before its answer";
    const keyId = (await listKeys(t, session))[0]!.keyId;
    await t.mutation(internal.requests.cancelAdmitted, { keyId, jobId, why });
    expect(await rows({ subject: jobId })).toMatchObject([
      { by: "first key", action: "job.canceled", detail: why },
    ]);
  });

  it("is written when a member looks at a prompt or an answer", async () => {
    const jobId = await submit(t, acme);
    await t.mutation(api.console.payloads.setAccess, { session, ownersMayLook: true });
    await t.mutation(api.console.payloads.look, { session, jobId });
    const [look] = await rows({ group: "looks" });
    expect(look).toMatchObject({ action: "job.payload-read", subject: jobId });
  });
});

describe("refusals in the audit trail", () => {
  it("are written for a member without the right, and the act is not done", async () => {
    const { deviceId } = await addDevice(t, acme);
    const donor = await join(["donor"]);
    await expectRefusal(
      t.mutation(api.console.devices.retire, { session: donor.session, deviceId }),
      "forbidden",
    );
    expect((await rows({ group: "refusals" }))[0]).toMatchObject({
      by: "donor",
      action: "act.refused",
      subject: "console/devices:retire",
      name: "Retire a device",
    });
    expect((await listDevices(t, session))[0]).toMatchObject({ status: "active" });
  });

  it("are written where the function itself refuses, such as an administrator who makes an owner", async () => {
    const admin = await join(["admin"]);
    const change = {
      session: admin.session,
      memberId: admin.memberId,
      change: { roles: ["owner" as const] },
    };
    await expectRefusal(t.mutation(api.console.people.change, change), "forbidden");
    expect((await rows({ group: "refusals" }))[0]).toMatchObject({ memberId: admin.memberId });
    const stored = await t.run(async (ctx) => await ctx.db.get("members", admin.memberId));
    expect(stored?.roles).toEqual(["admin"]);
  });

  it("do not fill the trail", async () => {
    const donor = await join(["donor"]);
    for (let n = 0; n < 40; n++) {
      await expectRefusal(
        t.mutation(api.console.people.createTeam, { session: donor.session, name: "x" }),
        "forbidden",
      );
    }
    expect(await rows({ group: "refusals" })).toHaveLength(20);
  });

  it("are written for used, wrong and old sign-in links, at most some a minute", async () => {
    const { signInToken: token } = acme;
    await t.mutation(api.console.account.signIn, { token, session: secret("gs_") });
    await t.mutation(api.console.account.signIn, { token: secret("gs_"), session: secret("gs_") });
    await t.mutation(api.console.account.acceptInvite, { token: secret("gi_"), session: secret("gs_") });
    expect(await rows({ group: "refusals" })).toMatchObject([
      { by: "Somebody not signed in", detail: "invitation: unknown-invitation" },
      { detail: "one-time link: unknown-link" },
      { detail: "one-time link: used" },
    ]);
    for (let n = 0; n < 40; n++) {
      await t.mutation(api.console.account.signIn, { token: secret("gs_"), session: secret("gs_") });
    }
    expect(await rows({ group: "refusals" })).toHaveLength(20);
  });

  it("are written for wrong passwords with the address of the caller, and never name the address that was typed", async () => {
    const { memberId } = await join(["admin"]);
    await t.run(async (ctx) => {
      await ctx.db.patch("members", memberId, { email: "ada@example.com" });
      const { organizationId } = acme;
      await ctx.db.insert("passwords", { organizationId, memberId, hash: "x", changedAt: 0 });
    });
    const from = t.withRequestMetadata({ ip: "203.0.113.7" });
    for (const email of ["ada@example.com", "hunter2 hunter2"]) {
      const asked = { organizationId: acme.organizationId, email, password: "wrong", session: secret("gs_") };
      await from.action(api.console.access.passwords.signIn, asked);
    }
    const refused = await rows({ group: "refusals" });
    expect(refused).toMatchObject([
      { by: "Somebody not signed in", address: "203.0.113.7", subject: "unknown" },
      {
        action: "member.sign-in-refused",
        address: "203.0.113.7",
        subject: memberId,
        detail: "wrong password",
      },
    ]);
    expect(JSON.stringify(refused)).not.toContain("hunter2");
  });

  it("of an unknown link are nobody's if there are several organizations", async () => {
    await addOrganization(t, { name: "Rival" });
    await t.mutation(api.console.account.signIn, { token: secret("gs_"), session: secret("gs_") });
    expect(await rows({ group: "refusals" })).toEqual([]);
  });
});

describe("acts with the admin key", () => {
  it("are written in every organization's trail, by names only", async () => {
    const rival = await addOrganization(t, { name: "Rival" });
    await t.mutation(internal.adminActs.record, { kind: "variables", names: ["COLOR", "SIZE"] });
    await t.mutation(internal.adminActs.record, { kind: "export", names: [] });
    const expected = [
      { by: "Server setup", action: "deployment.data-exported", subject: "everything" },
      { action: "deployment.variables-changed", subject: "COLOR", detail: "also SIZE" },
    ];
    expect(await rows({ group: "server" }, 2)).toMatchObject(expected);
    session = await signIn(t, rival);
    expect(await rows({ group: "server" }, 2)).toMatchObject(expected);
  });

  it("are not written twice for functions that record their changes themselves", async () => {
    const before = (await rows()).length;
    await t.mutation(internal.adminActs.record, { kind: "call", names: ["setup:signInLink"] });
    expect(await rows()).toHaveLength(before);
    await t.mutation(internal.adminActs.record, { kind: "read", names: ["setup:auditRows"] });
    expect((await rows())[0]).toMatchObject({ action: "deployment.data-read", subject: "setup:auditRows" });
  });
});

describe("filters of the audit trail", () => {
  it("find rows by person, group, action, subject and time", async () => {
    const { deviceId } = await addDevice(t, acme, "Katherine's Latitude");
    const admin = await join(["admin"]);
    await pass(t, 60_000);
    const at = Date.now();
    await t.mutation(api.console.devices.retire, { session: admin.session, deviceId });
    const actions = async (filter: Filter) => (await rows(filter)).map(({ action }) => action);
    const { memberId: who } = admin;
    expect(await actions({ who })).toContain("device.retired");
    expect(await actions({ who: "device" })).toEqual(["device.enrolled"]);
    expect(await actions({ who, group: "devices" })).toEqual(["device.retired"]);
    expect(await actions({ who, group: "keys" })).toEqual([]);
    expect(await actions({ who, action: "device.retired" })).toEqual(["device.retired"]);
    expect(await actions({ action: "device.enrolled" })).toEqual(["device.enrolled"]);
    expect(await actions({ subject: deviceId, who })).toEqual(["device.retired"]);
    expect(await actions({ subject: deviceId, action: "device.enrolled" })).toEqual(["device.enrolled"]);
    expect(await actions({ group: "devices" })).toContain("device.enrolled");
    expect(await actions({ subject: deviceId })).toContain("device.retired");
    expect(await actions({ from: at })).toEqual(["device.retired"]);
    expect(await actions({ to: at })).not.toContain("device.retired");
  });

  it("show nothing of another organization's member", async () => {
    const { memberId } = await join(["admin"]);
    const rival = await addOrganization(t, { name: "Rival" });
    const theirs = secret("gs_");
    await t.mutation(api.console.account.signIn, { token: rival.signInToken, session: theirs });
    session = theirs;
    expect(await rows({ who: memberId })).toEqual([]);
  });
});

describe("the chain of the audit trail", () => {
  async function seal(): Promise<void> {
    await pass(t, 40_000);
    await t.mutation(internal.maintenance.sealAuditOf, { organizationId: acme.organizationId });
    await t.finishInProgressScheduledFunctions();
  }

  async function check() {
    return await t.query(api.console.audit.check, { session, after: 0 });
  }

  it("seals rows once they are old enough, each once", async () => {
    await t.mutation(internal.maintenance.sealAuditOf, { organizationId: acme.organizationId });
    expect(await t.query(api.console.audit.newestSeal, { session })).toBeNull();
    await seal();
    const first = await t.query(api.console.audit.newestSeal, { session });
    expect(first).toMatchObject({ number: 1, count: (await rows()).length });
    await seal();
    expect((await t.query(api.console.audit.newestSeal, { session }))?.number).toBe(1);
    await join(["donor"]);
    await seal();
    expect(await t.query(api.console.audit.newestSeal, { session })).toMatchObject({
      number: 2,
      previous: first!.hash,
    });
    expect(await check()).toMatchObject({ seals: 2, broken: null, next: null });
  });

  it("goes on over more rows than one seal has", async () => {
    await t.run(async (ctx) => {
      const row = { organizationId: acme.organizationId, at: 1, actor: "setup", action: "old", subject: "x" };
      for (let n = 0; n < 230; n++) await ctx.db.insert("audit", row);
    });
    await seal();
    await pass(t, 0);
    await seal();
    let after: number | null = 0;
    let checked = 0;
    while (after !== null) {
      const piece: Awaited<ReturnType<typeof check>> = await t.query(api.console.audit.check, {
        session,
        after,
      });
      expect(piece.broken).toBeNull();
      checked += piece.rows;
      after = piece.next;
    }
    expect(checked).toBeGreaterThan(230);
    const old = await t.run(async (ctx) => (await ctx.db.query("audit").collect()).map(({ group }) => group));
    expect(old).not.toContain(undefined);
  });

  it("shows a row that was changed, removed or added afterward", async () => {
    await seal();
    const [row] = await t.run(async (ctx) => await ctx.db.query("audit").take(1));
    const { _id } = row!;
    await t.run(async (ctx) => await ctx.db.patch("audit", _id, { detail: "nothing happened" }));
    expect(await check()).toMatchObject({ broken: { number: 1, why: "A row was changed." } });
    await t.run(async (ctx) => await ctx.db.delete("audit", _id));
    expect(await check()).toMatchObject({ broken: { number: 1, why: "1 of its rows is missing." } });
    await t.run(async (ctx) => {
      for (const { _id: id } of await ctx.db.query("audit").take(2)) await ctx.db.delete("audit", id);
    });
    expect(await check()).toMatchObject({ broken: { number: 1, why: "3 of its rows are missing." } });
  });
});
