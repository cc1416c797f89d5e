import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keyStatementCsv, paidByKey } from "../../app/credits/key-statement.ts";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import {
  addDevice,
  addOrganization,
  answerMicro,
  claim,
  complete,
  expectRefusal,
  fail,
  listKeys,
  modelId,
  pass,
  price,
  signIn,
  submit,
} from "./backend.fixture.ts";
import { joinAs, sessionFor } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;
let keyId: Id<"apiKeys">;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  keyId = (await listKeys(t, session))[0]!.keyId;
});

afterEach(closeWorld);

const statement = async (at = Date.now(), by = session, now = Date.now()) =>
  await t.query(api.console.money.keyStatements.get, { session: by, keyId, at, now });

async function count(): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    await pass(t, 61_000);
    await t.mutation(internal.maintenance.countStatisticsOf, { organizationId: acme.organizationId });
  }
}

it("has the jobs of a month by price, those without a charge, and the credits that were given", async () => {
  const device = await addDevice(t, acme);
  const answer = async () => await complete(t, device, await claim(t, device, await submit(t, acme)));
  await answer();
  await answer();
  const dear = { promptMicro: 20n, completionMicro: 60n };
  const change = { session, modelId, price: dear, from: null, why: null };
  await t.mutation(api.console.money.prices.ofModel, change);
  await answer();
  await fail(t, device, await claim(t, device, await submit(t, acme)), { retryable: false });
  const canceled = await submit(t, acme);
  await t.mutation(api.requests.cancel, { apiKey: acme.apiKey, jobId: canceled });
  await t.mutation(api.console.money.grants.change, {
    session,
    holder: keyId,
    micro: 5_000n,
    reason: "A new quarter",
  });
  await count();
  const told = await statement();
  const tokens = (jobs: number) => ({ jobs, promptTokens: 10 * jobs, completionTokens: 3 * jobs });
  expect(told.charges).toEqual([
    {
      modelId,
      priceVersion: "1.0",
      ...price,
      percent: 100,
      ...tokens(2),
      micro: 2n * answerMicro,
      coveredMicro: 0n,
    },
    {
      modelId,
      priceVersion: "2.0",
      ...dear,
      percent: 100,
      ...tokens(1),
      micro: 380n,
      coveredMicro: 0n,
    },
  ]);
  expect(told.free).toEqual({ own: 0, failed: 1, canceled: 1, expired: 0 });
  expect(told.moves.at(-1)).toMatchObject({ micro: 5_000n, note: "A new quarter" });
  // The lines add up to the balance.
  const given = told.moves.reduce((sum, { micro }) => sum + micro, 0n);
  const balance = (await listKeys(t, session))[0]!.balanceMicro;
  expect(given - paidByKey(told)).toBe(balance);
  expect([told.openingMicro, told.closingMicro]).toEqual([0n, balance]);
  expect(keyStatementCsv(told)).toContain(`jobs,${modelId},2.0,1,10,3,0.020,0.060,100,0.000000,-0.000380`);
});

it("is of one month, for two years", async () => {
  const device = await addDevice(t, acme);
  await complete(t, device, await claim(t, device, await submit(t, acme)));
  await count();
  expect((await statement()).charges).toHaveLength(1);
  const later = Date.now() + 40 * 86_400_000;
  const next = await statement(later, session, later);
  expect(next.charges).toEqual([]);
  const { closingMicro } = await statement();
  expect([next.openingMicro, next.closingMicro]).toEqual([closingMicro, closingMicro]);
  expect((await statement(Date.now(), session, later)).charges).toHaveLength(1);
  await expectRefusal(statement(Date.now() + 1), "invalid");
  await expectRefusal(statement(Date.now() - 800 * 86_400_000), "invalid");
});

it("begins with the right balance, also when earlier months are deleted", async () => {
  const device = await addDevice(t, acme);
  const { _id: memberId } = (await t.run(async ({ db }) => await db.query("members").first()))!;
  for (let month = 0; month < 32; month += 1) {
    session = await sessionFor(t, memberId);
    await complete(t, device, await claim(t, device, await submit(t, acme)));
    for (const reason of ["one", "two"])
      await t.mutation(api.console.money.grants.change, { session, holder: keyId, micro: 7_000n, reason });
    await count();
    vi.setSystemTime(Date.now() + 31 * 86_400_000);
  }
  const [months, moves] = await t.run(
    async ({ db }) => await Promise.all([db.query("keyMonths").collect(), db.query("keyMoves").collect()]),
  );
  session = await sessionFor(t, memberId);
  expect(months.length).toBeLessThan(28);
  expect(moves.length).toBeLessThan(58);
  const balance = (await listKeys(t, session))[0]!.balanceMicro;
  expect(await statement()).toMatchObject({ openingMicro: balance, closingMicro: balance });
  const before = Date.now() - 31 * 86_400_000;
  expect((await statement(before)).openingMicro).toBe(balance - 14_000n + answerMicro);
});

it("is for those who see the key", async () => {
  const other = await joinAs(t, session, { name: "Ada", roles: ["requester"] });
  await expectRefusal(statement(Date.now(), other.session), "not_found");
  const owner = other.memberId;
  await t.mutation(api.console.keys.setOwner, { session, keyId, owner });
  expect((await statement(Date.now(), other.session)).name).toBe("first key");
  const elsewhere = await addOrganization(t, { name: "Other" });
  expect(elsewhere.organizationId).not.toBe(acme.organizationId);
});

it("of a member's or a team's credits is for them, and for those who see all money", async () => {
  const { teamId } = await t.mutation(api.console.people.createTeam, { session, name: "Lab" });
  const ada = await joinAs(t, session, { name: "Ada", roles: ["donor"] });
  const bo = await joinAs(t, session, { name: "Bo", roles: ["operator"] });
  const auditor = await joinAs(t, session, { name: "Cy", roles: ["auditor"] });
  const of = (by: string, owner: Id<"members"> | Id<"teams">) => ({
    session: by,
    of: owner,
    at: Date.now(),
    now: Date.now(),
  });
  const { statement: statementOf } = api.console.money.credits;
  await expectRefusal(t.query(statementOf, of(ada.session, teamId)), "not_found");
  await expectRefusal(t.query(statementOf, of(ada.session, bo.memberId)), "not_found");
  await expectRefusal(t.query(statementOf, of(bo.session, ada.memberId)), "not_found");
  for (const by of [session, auditor.session]) {
    expect(await t.query(statementOf, of(by, teamId))).toMatchObject({ name: "Lab", closingMicro: 0n });
    expect((await t.query(statementOf, of(by, ada.memberId))).name).toBe("Ada");
  }
  const stranger = await signIn(t, await addOrganization(t, { name: "Other" }));
  await expectRefusal(t.query(statementOf, of(stranger, ada.memberId)), "not_found");
  await t.mutation(api.console.people.setTeams, { session, memberId: ada.memberId, teamIds: [teamId] });
  expect(await t.query(statementOf, of(ada.session, teamId))).toMatchObject({ closingMicro: 0n });
  const mine = await t.query(api.console.money.credits.mine, { session: ada.session });
  expect(mine.teams).toEqual([
    { teamId, name: "Lab", availableMicro: 0n, grantedMicro: 0n, heldMicro: 0n, allowance: null },
  ]);
});
