import type { Value } from "convex/values";
import { describe, expect, test } from "vitest";
import { modules } from "../../packages/embedded/test-app.fixture.ts";
import { encodeDocumentId } from "../../packages/embedded/values/document-id.ts";
import { httpClient, liveClient, uniqueName } from "./deployment.ts";
import { watch } from "./watch.ts";

const { things } = modules;
const bytes = (...values: number[]): ArrayBuffer => Uint8Array.from(values).buffer;

/** Every type in Convex's sort order. An empty object means an absent field. */
const ordered: readonly { value?: Value }[] = [
  {},
  { value: null },
  { value: -(2n ** 63n) },
  { value: -1n },
  { value: 0n },
  { value: 2n ** 63n - 1n },
  { value: -Infinity },
  { value: -1.5 },
  { value: -0 },
  { value: 0 },
  { value: Number.MIN_VALUE },
  { value: Number.MAX_SAFE_INTEGER },
  { value: Infinity },
  { value: NaN },
  { value: false },
  { value: true },
  { value: "" },
  { value: "\0" },
  { value: "Z" },
  { value: "a" },
  { value: "ab" },
  { value: "é" },
  { value: "\uffff" },
  { value: "😀" },
  { value: bytes() },
  { value: bytes(0, 255) },
  { value: bytes(255) },
  { value: [] },
  { value: [null, "a"] },
  { value: ["a"] },
  { value: {} },
  { value: { a: 1 } },
  { value: { a: 1, b: [2n] } },
  { value: { b: 0 } },
];

/** Stores all values in a different order. */
async function stored(): Promise<string> {
  const owner = uniqueName();
  const values = ordered.map((_, n) => ordered[(n * 7 + 3) % ordered.length]!);
  await httpClient().mutation(things.insertMany, { owner, values });
  return owner;
}

test("values of every type are read in the order of their index, in both directions", async () => {
  const owner = await stored();
  expect(await httpClient().query(things.range, { owner, bounds: [] })).toEqual(ordered);
  expect(await httpClient().query(things.range, { owner, bounds: [], order: "desc" })).toEqual(
    ordered.toReversed(),
  );
});

test("values of every type arrive in the same order over a WebSocket", async () => {
  const owner = await stored();
  const seen = watch(liveClient(), things.range, { owner, bounds: [] });
  expect(await seen.until(() => true)).toEqual(ordered);
});

const passes = {
  eq: (n: number, at: number) => n === at,
  gt: (n: number, at: number) => n > at,
  gte: (n: number, at: number) => n >= at,
  lt: (n: number, at: number) => n < at,
  lte: (n: number, at: number) => n <= at,
};

describe.each(Object.keys(passes) as (keyof typeof passes)[])("%s", (is) => {
  test("a bound and a filter agree with that order at each value", async () => {
    const owner = await stored();
    const client = httpClient();
    for (const [at, bound] of ordered.entries()) {
      const expected = ordered.filter((_, n) => passes[is](n, at));
      expect(await client.query(things.range, { owner, bounds: [{ is, ...bound }] }), String(at)).toEqual(
        expected,
      );
      expect(await client.query(things.filtered, { owner, is, ...bound }), String(at)).toEqual(expected);
    }
  });
});

test("a range with two bounds is read in both orders", async () => {
  const owner = await stored();
  const bounds = [
    { is: "gte" as const, value: -0 },
    { is: "lt" as const, value: Infinity },
  ];
  const within = ordered.slice(8, 12);
  expect(await httpClient().query(things.range, { owner, bounds })).toEqual(within);
  expect(await httpClient().query(things.range, { owner, bounds, order: "desc" })).toEqual(
    within.toReversed(),
  );
  const empty = [
    { is: "gt" as const, value: 5 },
    { is: "lt" as const, value: 4 },
  ];
  expect(await httpClient().query(things.range, { owner, bounds: empty })).toEqual([]);
});

test("undefined means an absent field in arguments, documents and results", async () => {
  const owner = uniqueName();
  const value = { there: 1, absent: undefined };
  const [id] = await httpClient().mutation(things.insertMany, { owner, values: [{ value }] });
  const thing = await httpClient().query(things.get, { id: id! });
  expect(Object.keys(thing?.value as object)).toEqual(["there"]);
});

test("first, take, unique and a loop return their documents", async () => {
  const client = httpClient();
  const owner = uniqueName();
  expect(await client.query(things.taken, { owner, count: 2 })).toEqual({
    first: null,
    taken: [],
    looped: [],
    unique: "one or none",
  });
  const values = [1, 2, 3].map((value) => ({ value }));
  await client.mutation(things.insertMany, { owner, values });
  const taken = await client.query(things.taken, { owner, count: 2 });
  expect(taken).toMatchObject({ first: 1, taken: [1, 2], looped: [1, 2, 3] });
  expect(taken.unique).toContain("unique() query returned more than one result");
});

test("patch merges shallowly and removes undefined fields; replace removes all old fields", async () => {
  const owner = uniqueName();
  const { before, unset, patched, replaced, deleted } = await httpClient().mutation(things.changed, {
    owner,
  });
  const own = { _id: before!._id, _creationTime: before!._creationTime, owner };
  expect(before).toEqual({ ...own, value: 1 });
  expect(unset).toEqual(own);
  expect(patched).toEqual({ ...own, value: { c: 3 } });
  expect(replaced).toEqual(own);
  expect(deleted).toBeNull();
});

test("nested names may begin with an underscore or be empty", async () => {
  const owner = uniqueName();
  const value = { __typename: "User", _links: [{ _self: "/" }], "": { "": 1 } };
  const [id] = await httpClient().mutation(things.insertMany, { owner, values: [{ value }] });
  expect((await httpClient().query(things.get, { id: id! }))?.value).toEqual(value);
});

test("ids without a document are refused", async () => {
  const stray = encodeDocumentId({ tableNumber: 987_654, internalId: new Uint8Array(16).fill(7) });
  const noTable = (method: string) =>
    `Invalid argument \`id\` for \`db.${method}\`: Table for ID "${stray}" not found`;
  const said = await httpClient().mutation(things.wrongIds, { owner: uniqueName(), stray });
  expect(said.patchGone).toContain(`Update on nonexistent document ID ${said.gone}`);
  expect(said.replaceGone).toContain(`Replace on nonexistent document ID ${said.gone}`);
  expect(said.deleteGone).toContain(`Delete on nonexistent document ID ${said.gone}`);
  expect(said.getStray).toBeNull();
  expect(said.patchStray).toBe(noTable("patch"));
  expect(said.replaceStray).toBe(noTable("replace"));
  expect(said.deleteStray).toBe(noTable("delete"));
  expect(said.getNonsense).toBe(
    "Invalid argument `id` for `db.get`: Unable to decode ID: Invalid ID length 8",
  );
  expect(said.normalized).toEqual([said.gone, null, null]);
});
