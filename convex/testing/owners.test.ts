import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
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
} from "./backend.fixture.ts";
import { listDevices } from "./listDevices.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

type Joined = { readonly session: string; readonly memberId: Id<"members"> };
let ada: Joined;
let bo: Joined;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  ada = await joinAs(t, session, { name: "Ada", roles: ["requester", "donor"] });
  bo = await joinAs(t, session, { name: "Bo", roles: ["requester", "donor"] });
});

afterEach(closeWorld);

const addKey = async (by: string): Promise<Id<"apiKeys">> => {
  const key = { name: "k", keyHash: await hashSecret(secret("sk-")), prefix: "sk-gleaner-k" };
  return (await t.mutation(api.console.keys.create, { session: by, ...key })).keyId;
};

const keysOf = async (by: string) => await listKeys(t, by);
const devicesOf = async (by: string) => await listDevices(t, by);
const addTeam = async (name: string) =>
  (await t.mutation(api.console.people.createTeam, { session, name })).teamId;

/** A code whose devices belong to somebody. */
async function codeFor(owner?: Id<"members"> | Id<"teams">): Promise<string> {
  const code = `GLN-${secret("").slice(0, 4).toUpperCase()}-0000-1111`;
  const made = { codeHash: await hashSecret(code), label: "Lab", ...(owner === undefined ? {} : { owner }) };
  await t.mutation(api.console.codes.create, { session, ...made });
  return code;
}

describe("owners", () => {
  it("of a key are its creator at first", async () => {
    await addKey(ada.session);
    expect(await keysOf(ada.session)).toMatchObject([{ owner: { kind: "member", name: "Ada" } }]);
  });

  it("of a device are those of its code", async () => {
    await addDevice(t, { ...acme, code: await codeFor(ada.memberId) }, "hers");
    await addDevice(t, { ...acme, code: await codeFor() }, "nobody's");
    expect(await devicesOf(ada.session)).toMatchObject([{ name: "hers", owner: { name: "Ada" } }]);
    expect((await devicesOf(session)).find(({ name }) => name === "nobody's")).toMatchObject({ owner: null });
    expect(await t.query(api.console.codes.list, { session })).toMatchObject([
      { owner: null },
      { owner: { kind: "member", id: ada.memberId, name: "Ada" } },
      {},
    ]);
  });

  it("hand over keys and devices themselves, to members and teams", async () => {
    const keyId = await addKey(ada.session);
    const { deviceId } = await addDevice(t, { ...acme, code: await codeFor(ada.memberId) });
    const team = await addTeam("Lab");
    await t.mutation(api.console.people.setTeams, { session, memberId: bo.memberId, teamIds: [team] });
    await t.mutation(api.console.keys.setOwner, { session: ada.session, keyId, owner: bo.memberId });
    await t.mutation(api.console.devices.setOwner, { session: ada.session, deviceId, owner: team });
    expect([await keysOf(ada.session), await devicesOf(ada.session)]).toEqual([[], []]);
    expect(await keysOf(bo.session)).toMatchObject([{ keyId, owner: { name: "Bo" } }]);
    expect(await devicesOf(bo.session)).toMatchObject([{ deviceId, owner: { kind: "team", name: "Lab" } }]);
    // They are not hers anymore.
    const again = { session: ada.session, keyId, owner: ada.memberId };
    await expectRefusal(t.mutation(api.console.keys.setOwner, again), "not_found");
    const paginationOpts = { numItems: 2, cursor: null };
    const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
    expect(page).toMatchObject([
      { action: "device.handed-over", by: "Ada", detail: "owner: Ada → Lab" },
      { action: "api-key.handed-over", by: "Ada", detail: "owner: Ada → Bo" },
    ]);
  });

  it("are current members and teams of the same organization", async () => {
    const keyId = await addKey(session);
    const team = await addTeam("Lab");
    await t.mutation(api.console.people.removeTeam, { session, teamId: team });
    await t.mutation(api.console.people.remove, { session, memberId: bo.memberId });
    const rival = await addOrganization(t, { name: "Rival" });
    const theirs = await joinAs(t, await signIn(t, rival), { name: "Eve", roles: ["donor"] });
    for (const owner of [team, bo.memberId, theirs.memberId]) {
      await expectRefusal(t.mutation(api.console.keys.setOwner, { session, keyId, owner }), "not_found");
      await expectRefusal(codeFor(owner), "not_found");
    }
  });

  it("are listed by name, for those who hand something over", async () => {
    await addTeam("Lab");
    const all = await t.query(api.console.account.owners, { session: ada.session });
    expect(all).toMatchObject({
      members: [{ name: "Owner" }, { name: "Ada" }, { name: "Bo" }],
      teams: [{ name: "Lab" }],
      more: false,
    });
    const found = await t.query(api.console.account.owners, { session: ada.session, search: "bo" });
    expect(found.members).toEqual([{ id: bo.memberId, name: "Bo" }]);
  });
});

describe("a member who leaves", () => {
  const remove = async (things?: "end" | Id<"members"> | Id<"teams">) =>
    await t.mutation(api.console.people.remove, {
      session,
      memberId: ada.memberId,
      ...(things === undefined ? {} : { things }),
    });

  const held = async () => await t.query(api.console.people.holdings, { session, memberId: ada.memberId });

  it("leaves no key and no device without an answer", async () => {
    await addKey(ada.session);
    await expectRefusal(remove(), "conflict");
    await expectRefusal(remove(ada.memberId), "invalid");
    expect(await t.query(api.console.account.me, { session: ada.session })).not.toBeNull();
  });

  it("hands over everything, however much it is, and the codes for further devices too", async () => {
    for (let made = 0; made < 45; made += 1) await addKey(ada.session);
    const code = await codeFor(ada.memberId);
    const { deviceId } = await addDevice(t, { ...acme, code: await codeFor(ada.memberId) });
    await remove(bo.memberId);
    for (let batch = 0; batch < 4; batch += 1) await pass(t, 1);
    expect((await keysOf(bo.session)).length).toBe(45);
    expect(await devicesOf(bo.session)).toMatchObject([{ deviceId }]);
    expect(await held()).toEqual({ keys: 0, devices: 0, usedAt: null });
    await addDevice(t, { ...acme, code }, "later");
    expect((await devicesOf(bo.session)).map(({ name }) => name)).toEqual(["laptop", "later"]);
  });

  it("or ends everything: keys are revoked, devices retired and codes revoked", async () => {
    const keyId = await addKey(ada.session);
    const code = await codeFor(ada.memberId);
    const { deviceId } = await addDevice(t, { ...acme, code: await codeFor(ada.memberId) });
    await remove("end");
    expect(await held()).toEqual({ keys: 0, devices: 0, usedAt: null });
    const rows = await t.run(async (ctx) => [
      await ctx.db.get("apiKeys", keyId),
      await ctx.db.get("devices", deviceId),
    ]);
    expect(rows).toMatchObject([{ revokedAt: Date.now() }, { status: "retired" }]);
    await expect(addDevice(t, { ...acme, code })).rejects.toThrow("revoked");
  });

  it("passes things on to the organization if the heir leaves before they arrive", async () => {
    for (let made = 0; made < 25; made += 1) await addKey(ada.session);
    await remove(bo.memberId);
    await t.run(async (ctx) => await ctx.db.patch("members", bo.memberId, { removedAt: 1 }));
    for (let batch = 0; batch < 3; batch += 1) await pass(t, 1);
    expect(await held()).toMatchObject({ keys: 0 });
    expect((await keysOf(session)).filter(({ owner }) => owner === null).length).toBe(25 - 20 + 1);
  });
});
