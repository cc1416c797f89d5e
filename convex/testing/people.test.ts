import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Role } from "../../app/people/roles.ts";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addDevice,
  type Backend,
  expectRefusal,
  type Organization,
  pass,
  secret,
} from "./backend.fixture.ts";
import { inviteMember, joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

const dayMs = 24 * 3_600_000;

const join = async (name: string, roles: readonly Role[] = ["donor"], email?: string) =>
  await joinAs(t, session, { name, roles, ...(email === undefined ? {} : { email }) });

const list = async (search?: string, numItems = 50, cursor: string | null = null) =>
  await t.query(api.console.people.list, {
    session,
    paginationOpts: { numItems, cursor },
    ...(search === undefined ? {} : { search }),
  });

const namesOf = (members: readonly { readonly name: string }[]): string[] => members.map(({ name }) => name);

describe("the list of members", () => {
  it("has pages, oldest member first", async () => {
    await join("Ada");
    await join("Bo");
    const first = await list(undefined, 2);
    expect([namesOf(first.page), first.isDone]).toEqual([["Owner", "Ada"], false]);
    const second = await list(undefined, 2, first.continueCursor);
    expect(namesOf(second.page)).toEqual(["Bo"]);
  });

  it("finds members by a word of their name and by the start of their e-mail address", async () => {
    await join("Ada Brandt", ["donor"], "ada@acme.example");
    const { memberId } = await join("Bo Lind", ["donor"], "bo@acme.example");
    expect(namesOf((await list("brandt")).page)).toEqual(["Ada Brandt"]);
    expect(namesOf((await list("BO@acme")).page)).toEqual(["Bo Lind"]);
    expect(namesOf((await list("nobody")).page)).toEqual([]);
    await t.run(async (ctx) => await ctx.db.patch("members", memberId, { removedAt: 1 }));
    expect(namesOf((await list("bo")).page)).toEqual([]);
  });

  it("counts a member's keys and devices, and says when they last used the console", async () => {
    const ada = await join("Ada", ["requester", "donor"]);
    const key = { name: "k", keyHash: "ab".repeat(32), prefix: "sk-gleaner-k" };
    await t.mutation(api.console.keys.create, { session: ada.session, ...key });
    const { deviceId } = await addDevice(t, acme);
    await t.run(async (ctx) => await ctx.db.patch("devices", deviceId, { owner: ada.memberId }));
    vi.setSystemTime(Date.now() + 600_000);
    await t.mutation(api.console.account.use, { session: ada.session });
    const asked = { session, memberId: ada.memberId };
    const at = Date.now();
    expect(await t.query(api.console.people.holdings, asked)).toEqual({ keys: 1, devices: 1, usedAt: at });
    await t.mutation(api.console.devices.retire, { session, deviceId });
    await t.mutation(api.console.people.endSessions, asked);
    expect(await t.query(api.console.people.holdings, asked)).toEqual({ keys: 1, devices: 0, usedAt: null });
  });
});

describe("an invitation", () => {
  const shown = async (token: string) => await t.query(api.console.account.invitation, { token });

  it("shows its holder who invites them, to which organization and with which roles", async () => {
    const { token } = await inviteMember(t, session, {
      name: "Ada",
      roles: ["requester", "donor"],
      email: "Ada@acme.example",
      days: 2,
    });
    expect(await shown(token)).toEqual({
      kind: "open",
      organization: "Acme",
      invitedBy: "Owner",
      name: "Ada",
      email: "ada@acme.example",
      roles: ["requester", "donor"],
      expiresAt: Date.now() + 2 * dayMs,
    });
    expect(await shown(secret("gi_"))).toEqual({ kind: "refused", reason: "unknown-invitation" });
  });

  it("makes its holder a member under the name that they give, once", async () => {
    const { token } = await inviteMember(t, session, { name: "A.", roles: ["auditor"] });
    const given = { token, session: secret("gs_"), name: "Ada Brandt" };
    const joined = await t.mutation(api.console.account.acceptInvite, given);
    expect(joined).toMatchObject({ kind: "signed-in", member: { name: "Ada Brandt", roles: ["auditor"] } });
    const again = { token, session: secret("gs_") };
    const used = { kind: "refused", reason: "used" };
    expect(await t.mutation(api.console.account.acceptInvite, again)).toEqual(used);
    expect(await shown(token)).toEqual(used);
  });

  it("ends when it is revoked, when its days are over and when a member has its address", async () => {
    const revoked = await inviteMember(t, session, { name: "A", roles: ["donor"] });
    const { invitationId } = revoked;
    await t.mutation(api.console.people.revokeInvitation, { session, invitationId });
    expect(await shown(revoked.token)).toEqual({ kind: "refused", reason: "revoked" });
    const taken = { name: "B", roles: ["donor"] as const, email: "b@acme.example" };
    const late = await inviteMember(t, session, taken);
    await joinAs(t, session, taken);
    expect(await shown(late.token)).toEqual({ kind: "refused", reason: "address-taken" });
    const old = await inviteMember(t, session, { name: "C", roles: ["donor"], days: 1 });
    vi.setSystemTime(Date.now() + dayMs);
    const accepted = { token: old.token, session: secret("gs_") };
    expect(await t.mutation(api.console.account.acceptInvite, accepted)).toEqual({
      kind: "refused",
      reason: "expired",
    });
  });
});

describe("an address", () => {
  it("of an owner is changed by owners only, since mails to it open the account", async () => {
    const admin = await joinAs(t, session, { name: "Ada", roles: ["admin"] });
    const members = await t.run(async (ctx) => await ctx.db.query("members").collect());
    const memberId = members.find(({ roles }) => roles.includes("owner"))!._id;
    const change = { email: "ada@example.org" };
    await expectRefusal(
      t.mutation(api.console.people.change, { session: admin.session, memberId, change }),
      "forbidden",
    );
    await t.mutation(api.console.people.change, { session, memberId, change });
  });

  it("is changed by its member after a recent proof only", async () => {
    await t.mutation(api.console.account.change, { session, email: "ann@example.org" });
    await t.action(api.console.access.passwords.set, { session, password: "correct horse battery" });
    vi.setSystemTime(Date.now() + 31 * 60_000);
    const { change } = api.console.account;
    await expectRefusal(t.mutation(change, { session, email: "eve@example.org" }), "proof_needed");
    await t.mutation(change, { session, name: "Ann", email: "ann@example.org" });
  });
});

describe("a team", () => {
  const removeTeam = async (teamId: Id<"teams">) =>
    await t.mutation(api.console.people.removeTeam, { session, teamId });

  it("has members, and its removal leaves them", async () => {
    const { teamId } = await t.mutation(api.console.people.createTeam, { session, name: "Lab" });
    const { memberId } = await join("Ada");
    await t.mutation(api.console.people.setTeams, { session, memberId, teamIds: [teamId] });
    await t.mutation(api.console.people.renameTeam, { session, teamId, name: "Laboratory" });
    expect(await t.query(api.console.people.teams, { session })).toMatchObject([
      { teamId, name: "Laboratory" },
    ]);
    const paginationOpts = { numItems: 50, cursor: null };
    const { page } = await t.query(api.console.people.teamMembers, { session, teamId, paginationOpts });
    expect(namesOf(page)).toEqual(["Ada"]);
    await removeTeam(teamId);
    expect(await t.query(api.console.people.teams, { session })).toEqual([]);
    expect((await list("Ada")).page).toMatchObject([{ teamIds: [] }]);
  });

  it("cannot be removed while keys or devices belong to it", async () => {
    const { teamId } = await t.mutation(api.console.people.createTeam, { session, name: "Lab" });
    const { deviceId } = await addDevice(t, acme);
    await t.run(async (ctx) => await ctx.db.patch("devices", deviceId, { owner: teamId }));
    expect(await t.query(api.console.people.teamHoldings, { session, teamId })).toEqual({
      keys: 0,
      devices: 1,
    });
    await expectRefusal(removeTeam(teamId), "conflict");
    await t.mutation(api.console.devices.retire, { session, deviceId });
    await removeTeam(teamId);
  });
});

describe("a sign-in link for a member", () => {
  it("signs the member in once, and their sessions can be ended", async () => {
    const { memberId } = await join("Ada");
    const token = secret("gs_");
    const tokenHash = await hashSecret(token);
    await t.mutation(api.console.people.signInLink, { session, memberId, tokenHash });
    const own = secret("gs_");
    expect(await t.mutation(api.console.account.signIn, { token, session: own })).toMatchObject({
      kind: "signed-in",
      member: { name: "Ada" },
    });
    const asked = { session, memberId };
    const [newest] = await t.query(api.console.people.sessions, asked);
    expect(newest).toMatchObject({ method: "link" });
    await t.mutation(api.console.people.endSession, { session, sessionId: newest!.sessionId });
    expect(await t.query(api.console.account.me, { session: own })).toBeNull();
    expect(await t.mutation(api.console.people.endSessions, asked)).toEqual({ ended: 1 });
  });
});

describe("idle sessions", () => {
  const minuteMs = 60_000;
  const isOpen = async () => (await t.query(api.console.account.me, { session })) !== null;
  const setIdle = async (minutes: number) =>
    await t.mutation(api.console.people.setIdle, { session, minutes });

  it("end after 12 hours without use, and stay while they are used", async () => {
    await pass(t, 11 * 60 * minuteMs);
    await t.mutation(api.console.account.use, { session });
    await pass(t, 2 * 60 * minuteMs);
    expect(await isOpen()).toBe(true);
    await pass(t, 10 * 60 * minuteMs);
    expect(await isOpen()).toBe(false);
  });

  it("end after the time that an owner set, also if they were open before", async () => {
    const ada = await join("Ada", ["auditor"]);
    await setIdle(15);
    await pass(t, 1);
    expect(await t.query(api.console.people.idle, { session: ada.session })).toBe(15);
    await pass(t, 10 * minuteMs);
    await t.mutation(api.console.account.use, { session });
    await pass(t, 6 * minuteMs);
    expect(await t.query(api.console.account.me, { session: ada.session })).toBeNull();
    expect(await isOpen()).toBe(true);
    await pass(t, 10 * minuteMs);
    expect(await isOpen()).toBe(false);
  });

  it("last from 15 minutes to 7 days, and only an owner sets how long", async () => {
    for (const minutes of [14, 7 * 24 * 60 + 1, 60.5]) await expectRefusal(setIdle(minutes), "invalid");
    await setIdle(7 * 24 * 60);
    const { session: admin } = await join("Ada", ["admin"]);
    await expectRefusal(t.mutation(api.console.people.setIdle, { session: admin, minutes: 60 }), "forbidden");
  });
});
