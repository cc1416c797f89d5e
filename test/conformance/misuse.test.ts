import { expect, test } from "vitest";
import { api, modules } from "../../packages/embedded/test-app.fixture.ts";
import { httpClient, uniqueName } from "./deployment.ts";

const { misuse, things } = modules;
const client = httpClient();
const scheduled = () =>
  client.mutation(api.later.schedule, { channel: uniqueName(), body: "never", delayMs: 3_600_000 });
const insertThing = async () =>
  (await client.mutation(things.insertMany, { owner: uniqueName(), values: [{}] }))[0]!;

const notIndexed = (field: string) =>
  `The index range included a comparison with "${field}", but things.by_value with fields ["owner", "value", "_creationTime"] doesn't index this field.`;
const already = (bound: string, added: string) =>
  `Already defined ${bound} bound in index range. Can't add ${added}.`;

test("an index that is not there or not used in order is refused in Convex's words", async () => {
  const errors = await client.query(misuse.ranges, {});
  const expected = {
    unknownIndex: "Index things.by_nothing not found.",
    outOfOrder:
      "Tried to query index things.by_value but the query didn't use the index fields in order.\n" +
      'Index fields: ["owner", "value", "_creationTime"]\nQuery fields: ["value"]\nFirst incorrect field: value',
    notIndexed: notIndexed("color"),
    boundNotIndexed: notIndexed("color"),
    twoEqualities: already("equality", '"owner" == 2.0'),
    twoLowerBounds: already("lower", '"owner" >= 2'),
    twoUpperBounds: already("upper", '"owner" <= "b"'),
    equalAndBounded: already("inequality", '"owner" == 2.0'),
    boundsOfTwoFields:
      "Upper and lower bounds in `range` can only be applied to a single index field. This query against index " +
      'things.by_value attempted to set a range bound on both "owner" and "value".',
    tooManyFields: notIndexed("more"),
  };
  expect(Object.keys(errors).sort()).toEqual(Object.keys(expected).sort());
  for (const [what, words] of Object.entries(expected)) expect(errors[what]).toContain(words);
});

test("wrong ids and system tables are refused in Convex's words, and private tables look empty", async () => {
  const errors = await client.query(misuse.reads, { thing: await insertThing(), job: await scheduled() });
  expect(errors).toEqual({
    nonsense: "Invalid argument `id` for `db.get`: Unable to decode ID: Invalid ID length 8",
    otherTable:
      'Invalid argument `id` for `db.get`: expected to be an Id<"messages">, got Id<"things"> instead.',
    number: expect.stringContaining("Invalid argument `id` for `db.get`, expected string but got 'number'"),
    systemId: "System tables can only be accessed with db.system.",
    userIdAsSystem: "User tables cannot be accessed with db.system.",
    systemTable: expect.stringContaining("System tables can only be accessed from db.system.query()"),
    userTableAsSystem: expect.stringContaining("User tables can only be accessed from db.query()"),
    privateTable: "[]",
    normalizeSystem: "System tables can only be accessed from db.system.normalizeId().",
    normalizeUserAsSystem: "User tables can only be accessed from db.normalizeId().",
    normalized: "true",
    ofAnotherTable: "null",
  });
});

test("system tables and system fields cannot be written, and Convex's words say so", async () => {
  const job = await scheduled();
  const { thing, errors } = await client.mutation(misuse.writes, { job });
  const readOnly = "System tables can only be accessed with db.system.";
  expect(errors).toEqual({
    insertSystem: "System tables (prefixed with `_`) are read-only.",
    insertPrivate: "System tables (prefixed with `_`) are read-only.",
    patchSystem: readOnly,
    replaceSystem: readOnly,
    deleteSystem: readOnly,
    patchNoObject: expect.stringMatching(
      /^Invalid argument `value` for `db\.patch`: Value must be an Object/,
    ),
    patchNonsense: expect.stringMatching(/^Invalid argument `id` for `db\.patch`: Unable to decode ID/),
    insertId: expect.stringMatching(/^Provided document ID .*doesn't match '_id' field/),
    insertCreationTime: expect.stringMatching(
      /^Provided creation time .*doesn't match '_creationTime' field/,
    ),
    insertUnderscore: expect.stringContaining(
      "Field '_mine' starts with an underscore, which is only allowed for system fields like '_id'",
    ),
    patchId: expect.stringContaining(`Provided document ID "${thing}" doesn't match '_id' field "${job}"`),
    patchCreationTime: expect.stringMatching(/^Provided creation time .*doesn't match '_creationTime' field/),
    patchSame: "null",
  });
});
