import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { paidByKey } from "../../app/credits/key-statement.ts";
import type { AllowanceTerms } from "../../app/money/allowance.ts";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import {
  addOrganization,
  expectBooksInOrder,
  expectRefusal,
  listKeys,
  signIn,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { renewAt, runCrons, waitUntil } from "./time.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

/** The world begins on Friday, 2027-01-15 08:00 (UTC). */
let { t, acme, session }: Awaited<ReturnType<typeof openWorld>> = {} as Awaited<ReturnType<typeof openWorld>>;
let keyId: Id<"apiKeys">;
let first: bigint;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
  keyId = (await listKeys(t, session))[0]!.keyId;
  first = await balance();
});

afterEach(closeWorld);

const credits = (amount: number): bigint => BigInt(amount) * 1_000_000n;
const monthly = { every: "month", kind: "add", micro: credits(100) } as const;
const daily = { every: "day", kind: "add", micro: credits(5) } as const;

const set = async (
  terms: AllowanceTerms & { readonly dueAt?: number },
  reason = "For the lab",
  by = session,
) => await t.mutation(api.console.money.allowances.set, { session: by, holder: keyId, ...terms, reason });
const end = async () => await t.mutation(api.console.money.allowances.end, { session, holder: keyId });
const ownerId = async () => await t.run(async (ctx) => (await ctx.db.query("members").first())!._id);
const row = async () => (await listKeys(t, session))[0]!;
const balance = async () => (await row()).balanceMicro;

const trail = async () => {
  const paginationOpts = { numItems: 50, cursor: null };
  const { page } = await t.query(api.console.audit.list, { session, paginationOpts });
  return page.flatMap(({ action, detail }) =>
    action.startsWith("api-key.allowance-") ? [[action, detail]] : [],
  );
};

describe("an allowance", () => {
  it("gives its first credits at the start of the next period, once", async () => {
    await set(monthly);
    expect(await balance()).toBe(first);
    await renewAt(t, "2027-01-31T23:59");
    expect(await balance()).toBe(first);
    await renewAt(t, "2027-02-01T00:00");
    expect(await balance()).toBe(first + credits(100));
    await renewAt(t, "2027-02-01T01:00");
    await renewAt(t, "2027-02-28T23:00");
    expect(await balance()).toBe(first + credits(100));
    await renewAt(t, "2027-03-01T00:00");
    expect(await balance()).toBe(first + credits(200));
    await expectBooksInOrder(t);
  });

  it("is run by a cron", async () => {
    await set(monthly);
    await waitUntil(t, "2027-02-01T00:00");
    await runCrons(t, (name) => name.includes("renewAllowances"));
    expect(await balance()).toBe(first + credits(100));
  });

  it("can be of a day, or of a week from Monday", async () => {
    await set(daily);
    await renewAt(t, "2027-01-16T00:00");
    expect(await balance()).toBe(first + credits(5));
    await set({ every: "week", kind: "add", micro: credits(20) });
    await renewAt(t, "2027-01-17T23:00");
    expect(await balance()).toBe(first + credits(5));
    await renewAt(t, "2027-01-18T00:00");
    expect(await balance()).toBe(first + credits(25));
    await expectBooksInOrder(t);
  });

  it("that tops up gives only what is missing", async () => {
    await set({ every: "month", kind: "top-up", micro: first });
    await renewAt(t, "2027-02-01T00:00");
    expect(await balance()).toBe(first);
    await t.mutation(api.console.money.grants.change, {
      session,
      holder: keyId,
      micro: -credits(30),
      reason: "Less",
    });
    await renewAt(t, "2027-03-01T00:00");
    expect(await balance()).toBe(first);
    expect(await trail()).toMatchObject([
      ["api-key.allowance-given", "30 given: Allowance for March 2027: For the lab"],
      ["api-key.allowance-set", expect.any(String)],
    ]);
    await expectBooksInOrder(t);
  });

  it("that tops up does not count what open jobs hold", async () => {
    await set({ every: "month", kind: "top-up", micro: first });
    await submit(t, acme);
    const left = await balance();
    expect(left).toBeLessThan(first);
    await renewAt(t, "2027-02-01T00:00");
    expect(await balance()).toBe(first);
    await expectBooksInOrder(t);
  });

  it("can be spent at once by a key that had none left", async () => {
    await t.mutation(api.console.money.grants.change, {
      session,
      holder: keyId,
      micro: -first,
      reason: "None",
    });
    await set(monthly);
    await expectRefusal(submit(t, acme), "quota_exceeded");
    await renewAt(t, "2027-02-01T00:00");
    await submit(t, acme);
  });

  it("is given once for the present period after the backend slept for months", async () => {
    await set(monthly);
    await renewAt(t, "2027-06-20T12:00");
    expect(await balance()).toBe(first + credits(100));
    expect((await row()).allowance?.dueAt).toBe(Date.parse("2027-07-01T00:00Z"));
    await renewAt(t, "2027-07-01T00:00");
    expect(await balance()).toBe(first + credits(200));
    expect((await trail()).slice(0, 2).map(([, detail]) => detail)).toEqual([
      "100 given: Allowance for July 2027: For the lab",
      "100 given: Allowance for June 2027: For the lab",
    ]);
  });

  it("is not given again in its period, even if the note about it is lost", async () => {
    await set(monthly);
    await renewAt(t, "2027-02-01T00:00");
    await t.run(async (ctx) => {
      const { allowance } = (await ctx.db.get("apiKeys", keyId))!;
      await ctx.db.patch("apiKeys", keyId, {
        allowance: { ...allowance!, dueAt: Date.parse("2027-02-01T00:00Z") },
      });
    });
    await renewAt(t, "2027-02-01T01:00");
    await end();
    await set(monthly);
    await renewAt(t, "2027-02-02T01:00");
    expect(await balance()).toBe(first + credits(100));
    expect((await row()).allowance?.dueAt).toBe(Date.parse("2027-03-01T00:00Z"));
    expect((await trail()).filter(([action]) => action === "api-key.allowance-given")).toHaveLength(1);
    await expectBooksInOrder(t);
  });

  it("that was changed gives the new amount from the next period on, and the former one for a due period", async () => {
    await set(monthly);
    await set({ ...monthly, micro: credits(40) });
    await renewAt(t, "2027-02-01T00:00");
    expect(await balance()).toBe(first + credits(40));
    await waitUntil(t, "2027-03-01T00:10");
    await set({ ...daily, micro: credits(1) });
    expect(await balance()).toBe(first + credits(80));
    await renewAt(t, "2027-03-01T23:00");
    expect(await balance()).toBe(first + credits(80));
    await renewAt(t, "2027-03-02T00:00");
    expect(await balance()).toBe(first + credits(81));
    expect((await trail()).slice(-2)).toEqual([
      [
        "api-key.allowance-set",
        "allowance: 100 credits each month → 40 credits each month; reason: For the lab",
      ],
      ["api-key.allowance-set", "allowance: not set → 100 credits each month; reason: For the lab"],
    ]);
    await expectBooksInOrder(t);
  });

  it("that was ended gives no more, and can be set again", async () => {
    await set(monthly);
    await end();
    await end();
    expect((await row()).allowance).toBeNull();
    await renewAt(t, "2027-02-01T00:00");
    expect(await balance()).toBe(first);
    await set(monthly);
    await renewAt(t, "2027-03-01T00:00");
    expect(await balance()).toBe(first + credits(100));
    expect((await trail()).map(([action]) => action)).toEqual([
      "api-key.allowance-given",
      "api-key.allowance-set",
      "api-key.allowance-ended",
      "api-key.allowance-set",
    ]);
  });

  it("that was ended by mistake comes back with its due date", async () => {
    await set(monthly);
    const dueAt = (await row()).allowance!.dueAt;
    await end();
    await set({ ...monthly, dueAt });
    expect((await row()).allowance?.dueAt).toBe(dueAt);
    await waitUntil(t, "2027-01-31T23:59:59");
    await end();
    await waitUntil(t, "2027-02-01T00:00:01");
    await set({ ...monthly, dueAt });
    expect(await balance()).toBe(first + credits(100));
    await end();
    await set({ ...monthly, dueAt });
    await renewAt(t, "2027-02-01T01:00");
    expect(await balance()).toBe(first + credits(100));
    await renewAt(t, "2027-03-01T00:00");
    expect(await balance()).toBe(first + credits(200));
    for (const wrong of [dueAt + 1, NaN]) await expectRefusal(set({ ...monthly, dueAt: wrong }), "invalid");
    await set({ ...monthly, dueAt: Date.parse("2027-12-01Z") });
    expect((await row()).allowance?.dueAt).toBe(Date.parse("2027-04-01Z"));
    await expectBooksInOrder(t);
  });

  it("of a revoked key ends with it", async () => {
    await set(monthly);
    await t.mutation(api.console.keys.revoke, { session, keyId });
    expect((await row()).allowance).toBeNull();
    await renewAt(t, "2027-02-01T00:00");
    expect(await balance()).toBe(first);
    await expectRefusal(set(monthly), "revoked");
  });

  it("of a key that a restore revoked is not given", async () => {
    await set(monthly);
    await t.run(async (ctx) => await ctx.db.patch("apiKeys", keyId, { revokedAt: Date.now() }));
    await renewAt(t, "2027-02-01T00:00");
    expect(await balance()).toBe(first);
    expect(await t.run(async (ctx) => (await ctx.db.get("apiKeys", keyId))!.allowance ?? null)).toBeNull();
  });

  it("of an expired key is not given until the key has a later end", async () => {
    await set(monthly);
    const expireAt = async (date: string) =>
      await t.mutation(api.console.keys.setAccess, { session, keyId, expiresAt: Date.parse(`${date}Z`) });
    await expireAt("2027-01-20T00:00");
    await renewAt(t, "2027-02-01T00:00");
    expect(await balance()).toBe(first);
    await expireAt("2027-12-01T00:00");
    await renewAt(t, "2027-02-01T02:00");
    expect(await balance()).toBe(first);
    await renewAt(t, "2027-03-01T00:00");
    expect(await balance()).toBe(first + credits(100));
  });
});

it("gives the allowances of more keys than a page has", async () => {
  await set(daily);
  const { organizationId } = acme;
  const keyIds = await t.run(async (ctx) => {
    const { allowance } = (await ctx.db.get("apiKeys", keyId))!;
    const made: Id<"apiKeys">[] = [];
    for (let at = 0; at < 120; at += 1) {
      const named = { name: `Program ${String(at)}`, prefix: "sk", keyHash: `hash ${String(at)}` };
      const key = { organizationId, ...named, createdAt: at, allowance: allowance! };
      made.push(await ctx.db.insert("apiKeys", key));
    }
    return made;
  });
  await renewAt(t, "2027-01-16T00:00");
  const balances = await t.run(async (ctx) => {
    const accounts = await ctx.db.query("accounts").collect();
    return keyIds.map((id) => accounts.find(({ account }) => account === `key:${id}`)?.balanceMicro);
  });
  expect(new Set(balances)).toEqual(new Set([credits(5)]));
  await expectBooksInOrder(t);
});

it("gives each key its own turn if it is topped up, and the others one together", async () => {
  const { organizationId } = acme;
  const terms = { reason: "Usual", memberId: await ownerId(), setAt: 0, dueAt: Date.parse("2027-01-16Z") };
  const keyIds = await t.run(async (ctx) => {
    const made: Id<"apiKeys">[] = [];
    for (let at = 0; at < 45; at += 1) {
      const named = { name: `Program ${String(at)}`, prefix: "sk", keyHash: `hash ${String(at)}` };
      const kind = at % 9 === 0 ? ("top-up" as const) : ("add" as const);
      const allowance = { ...daily, ...terms, kind };
      made.push(await ctx.db.insert("apiKeys", { organizationId, ...named, createdAt: at, allowance }));
    }
    return made;
  });
  await renewAt(t, "2027-01-16T00:00");
  await renewAt(t, "2027-01-16T01:00");
  const turns = await t.run(async (ctx) =>
    (await ctx.db.system.query("_scheduled_functions").collect()).flatMap(({ name, args }) =>
      name.endsWith("renewTurn") ? [(args[0] as { holders: Id<"apiKeys">[] }).holders] : [],
    ),
  );
  expect(turns.flat().toSorted()).toEqual(keyIds.toSorted());
  expect(turns.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([1, 1, 1, 1, 1, 5, 17, 18]);
  const issued = await t.run(async (ctx) =>
    (await ctx.db.query("accounts").collect()).filter(({ account }) =>
      keyIds.some((id) => account === `key:${id}`),
    ),
  );
  expect(issued.map(({ balanceMicro }) => balanceMicro)).toEqual(keyIds.map(() => credits(5)));
  await expectBooksInOrder(t);
});

it("names the allowance, its reason and its author in the list and in the key's statement", async () => {
  await set(monthly);
  expect((await row()).allowance).toEqual({
    ...monthly,
    reason: "For the lab",
    author: expect.any(String) as string,
    setAt: 1_800_000_000_000,
    dueAt: Date.parse("2027-02-01T00:00Z"),
  });
  await renewAt(t, "2027-02-01T00:00");
  const now = Date.now();
  const statement = await t.query(api.console.money.keyStatements.get, { session, keyId, at: now, now });
  expect(statement.moves).toEqual([
    {
      at: expect.any(Number) as number,
      micro: credits(100),
      source: { kind: "allowance", every: "month", start: Date.parse("2027-02-01T00:00Z") },
      note: "For the lab",
    },
  ]);
  expect(paidByKey(statement)).toBe(0n);
});

it("is set by managers of the organization only, within bounds and with a reason", async () => {
  const ada = await joinAs(t, session, { name: "Ada", roles: ["requester"] });
  await t.mutation(api.console.keys.setOwner, { session, keyId, owner: ada.memberId });
  await expectRefusal(set(monthly, "For me", ada.session), "forbidden");
  const rival = await signIn(t, await addOrganization(t, { name: "Rival" }));
  await expectRefusal(set(monthly, "For me", rival), "not_found");
  await expectRefusal(set({ ...monthly, micro: 0n }), "invalid");
  await expectRefusal(set({ ...monthly, micro: -1n }), "invalid");
  await expectRefusal(set({ ...monthly, micro: credits(1_000_000_001) }), "invalid");
  await expectRefusal(set(monthly, "  "), "invalid");
  expect((await row()).allowance).toBeNull();
});
