import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { bucketOf, spans } from "../../app/statistics/spans.ts";
import { emptyTally, mostSubjects, type SubjectKind } from "../../app/statistics/tally.ts";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import {
  addDevice,
  type Backend,
  claim,
  complete,
  type Organization,
  release,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

/** No query of the console reads more, however large the organization is. */
const documentsRead = 300;

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld({ documentsRead }));
});

afterEach(closeWorld);

async function addMembers(count: number): Promise<Id<"members">[]> {
  const { organizationId } = acme;
  return await t.run(async (ctx) => {
    const row = { organizationId, roles: ["requester" as const], teamIds: [], createdAt: Date.now() };
    const members: Id<"members">[] = [];
    for (let at = 0; at < count; at += 1)
      members.push(await ctx.db.insert("members", { ...row, name: `Member ${String(at)}` }));
    return members;
  });
}

async function addKeys(owners: readonly Id<"members">[]): Promise<void> {
  const { organizationId } = acme;
  await t.run(async (ctx) => {
    for (const [at, owner] of owners.entries()) {
      const named = { name: `Program ${String(at)}`, prefix: "sk", keyHash: `hash ${String(at)}` };
      const keyId = await ctx.db.insert("apiKeys", { organizationId, ...named, createdAt: at, owner });
      const account = `key:${keyId}`;
      await ctx.db.insert("accounts", { organizationId, account, balanceMicro: BigInt(at), jobs: 0 });
    }
  });
}

const page = async (cursor: string | null, numItems = 200) =>
  await t.query(api.console.keys.list, { session, paginationOpts: { numItems, cursor } });

it("the keys of many members are listed page by page, each once, with their balances", async () => {
  await addKeys(await addMembers(120));
  const seen: bigint[] = [];
  for (let cursor: string | null = null, pages = 0; pages < 3; pages += 1) {
    const { page: keys, continueCursor, isDone } = await page(cursor);
    seen.push(...keys.flatMap(({ owner, balanceMicro }) => (owner === null ? [] : [balanceMicro])));
    expect(isDone).toBe(pages === 2);
    cursor = continueCursor;
  }
  expect(seen).toEqual(Array.from({ length: 120 }, (_, at) => BigInt(119 - at)));
});

it("a link to a key finds it on whatever page it is, if the member sees it", async () => {
  const requester = await joinAs(t, session, { name: "Ada", roles: ["requester"] });
  const [other] = await addMembers(1);
  await addKeys([requester.memberId, other!]);
  const { page: all } = await page(null);
  const keyOf = (of: Id<"members">) => all.find(({ owner }) => owner?.id === of)!.keyId;
  const only = async (by: string, keyId: string) => {
    const paginationOpts = { numItems: 1, cursor: null };
    const found = await t.query(api.console.keys.list, { session: by, paginationOpts, keyId });
    return found.page.map(({ name }) => name);
  };
  expect(await only(session, keyOf(other!))).toEqual(["Program 1"]);
  expect(await only(requester.session, keyOf(requester.memberId))).toEqual(["Program 0"]);
  expect(await only(requester.session, keyOf(other!))).toEqual([]);
  expect(await only(session, "nonsense")).toEqual([]);
  await t.run(async (ctx) => await ctx.db.patch("apiKeys", keyOf(other!), { playgroundEnded: true }));
  expect(await only(session, keyOf(other!))).toEqual([]);
});

/** The buckets that an organization has on the evening of a day, of the last 90 days. */
async function addBuckets(kinds: readonly SubjectKind[], subjects: readonly string[]): Promise<void> {
  const { organizationId } = acme;
  const now = Date.now();
  const [today, thisHour] = [bucketOf(now, spans.day), bucketOf(now, spans.hour)];
  const tally = { ...emptyTally(), succeeded: 2, micro: 5n };
  const insert = async (by: SubjectKind, spanMs: number, from: number, to: number): Promise<void> => {
    const tallies = (by === "all" ? ["all"] : subjects).map((subject) => ({ subject, tally }));
    await t.run(async (ctx) => {
      for (let startAt = from; startAt < to; startAt += spanMs)
        await ctx.db.insert("statistics", { organizationId, by, spanMs, startAt, subjects: tallies });
    });
  };
  for (const by of kinds) {
    await insert(by, spans.day, today - 90 * spans.day, today);
    await insert(by, spans.hour, thisHour - 8 * spans.day, thisHour);
    await insert(by, spans.short, thisHour, now);
  }
  await t.run(async (ctx) => {
    const progress = { organizationId, countedTo: now, hoursTo: thisHour, daysTo: today, usageFrom: 0 };
    await ctx.db.insert("statisticsProgress", progress);
  });
}

it("the usage of 90 days by member, and the statistics of a week by key, read few documents at any time of day", async () => {
  vi.setSystemTime(bucketOf(Date.now(), spans.day) + spans.day - 1);
  const members = await addMembers(mostSubjects);
  await addBuckets(["all", "member", "key"], members);
  const until = Date.now();
  const usage = { session, by: "member", days: 90, until } as const;
  const { days, rows } = await t.query(api.console.usage.report, usage);
  expect(days).toHaveLength(90);
  expect(rows).toHaveLength(mostSubjects);
  const buckets = 89 + 23 + 12;
  expect(rows[0]).toMatchObject({ succeeded: 2 * buckets, micro: 5n * BigInt(buckets) });
  const week = { session, by: "key", range: "week", until } as const;
  expect((await t.query(api.console.statistics.report, week)).points.length).toBeGreaterThan(160);
});

it("a list of jobs shows the newest two attempts of each, and the page of a job shows all", async () => {
  const devices = [];
  for (let at = 0; at < 4; at += 1) devices.push(await addDevice(t, acme));
  const jobId = await submit(t, acme);
  for (const device of devices.slice(1)) await release(t, device, await claim(t, device, jobId));
  await complete(t, devices[0]!, await claim(t, devices[0]!, jobId));
  const listed = await t.query(api.console.jobs.list, {
    session,
    paginationOpts: { numItems: 10, cursor: null },
  });
  expect(listed.page[0]?.attempts.map(({ number, status }) => [number, status])).toEqual([
    [3, "released"],
    [4, "succeeded"],
  ]);
  const { attempts } = await t.query(api.console.jobs.get, { session, jobId });
  expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
});
