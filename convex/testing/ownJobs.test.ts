import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import {
  addDevice,
  answerMicro,
  type Backend,
  claim,
  complete,
  type Device,
  expectBooksInOrder,
  listKeys,
  type Organization,
  pass,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let device: Device;
let ada: Id<"members">;
let bo: Id<"members">;
let lab: Id<"teams">;
let keyId: Id<"apiKeys">;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  device = await addDevice(t, acme);
  ada = (await joinAs(t, session, { name: "Ada", roles: ["requester", "donor"] })).memberId;
  bo = (await joinAs(t, session, { name: "Bo", roles: ["requester", "donor"] })).memberId;
  lab = (await t.mutation(api.console.people.createTeam, { session, name: "Lab" })).teamId;
  await t.mutation(api.console.people.setTeams, { session, memberId: ada, teamIds: [lab] });
  ({ keyId } = await t.query(internal.requests.identify, { apiKey: acme.apiKey }));
});

afterEach(closeWorld);

type Owner = Id<"members"> | Id<"teams">;

/** One job, by a key and a device of these owners. */
async function work(keyOwner: Owner | null, deviceOwner: Owner | null) {
  const { deviceId, key } = device;
  if (keyOwner !== null) await t.mutation(api.console.keys.setOwner, { session, keyId, owner: keyOwner });
  if (deviceOwner !== null)
    await t.mutation(api.console.devices.setOwner, { session, deviceId, owner: deviceOwner });
  const balance = async () => (await listKeys(t, session))[0]!.balanceMicro;
  const before = await balance();
  const jobId = await submit(t, acme);
  const done = await complete(t, device, await claim(t, device, jobId));
  await pass(t, 60_000);
  await expectBooksInOrder(t);
  const paginationOpts = { numItems: 1, cursor: null };
  const [row] = (await t.query(api.console.jobs.list, { session, paginationOpts })).page;
  const history = await t.query(api.devices.history, { key, paginationOpts });
  return { cost: before - (await balance()), done, row, history: history.page[0] };
}

describe("a job of one's own", () => {
  it("costs nothing, earns nothing, and says why", async () => {
    const { cost, done, row, history } = await work(ada, ada);
    expect(cost).toBe(0n);
    expect(done).toMatchObject({ kind: "completed", reply: { earnedMicro: 0n, ownJob: true } });
    expect(row).toMatchObject({ status: "succeeded", priceMicro: 0n, ownJob: true });
    expect(history).toMatchObject({
      earnedMicro: "0",
      explanation: "Your own job, which costs nothing and earns nothing",
    });
  });

  it("is also a job between a team's key and device, or between a team and its member", async () => {
    for (const [keyOwner, deviceOwner] of [
      [lab, lab],
      [lab, ada],
      [ada, lab],
    ] as const) {
      expect((await work(keyOwner, deviceOwner)).cost).toBe(0n);
    }
  });

  it("is no job between other members, of other teams, or of the organization", async () => {
    expect(await work(null, null)).toMatchObject({ cost: answerMicro, row: { ownJob: false } });
    for (const [keyOwner, deviceOwner] of [
      [ada, null],
      [ada, bo],
      [lab, bo],
      [bo, lab],
    ] as const) {
      expect((await work(keyOwner, deviceOwner)).cost).toBe(answerMicro);
    }
  });
});
