import { afterEach, beforeEach, expect, it } from "vitest";
import { api, internal } from "../_generated/api.js";
import { addDevice, type Backend, type Organization } from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;

beforeEach(async () => {
  ({ t, acme, session } = await openWorld());
});

afterEach(closeWorld);

const tables = ["apiKeys", "enrolmentCodes", "signInLinks", "devices"] as const;
const documentsOf = async (table: (typeof tables)[number]) =>
  await t.run(async (ctx) => await ctx.db.query(table).take(10));
const apply = async (table: string | null, documents: readonly object[], isKnown = true) =>
  await t.mutation(internal.afterRestore.apply, { table, documents: [...documents], isKnown });

it("asks for the tables with secrets that can be revoked, used or retired", async () => {
  expect(await t.query(internal.afterRestore.tables, {})).toEqual([...tables]);
});

it("only makes the restored documents stricter", async () => {
  const { key, deviceId } = await addDevice(t, acme);
  const replaced = await Promise.all(tables.map(documentsOf));
  const keyId = await t.run(async (ctx) => (await ctx.db.query("apiKeys").first())!._id);
  const codeId = await t.run(async (ctx) => (await ctx.db.query("enrolmentCodes").first())!._id);
  await t.mutation(api.admin.revokeKey, { session, keyId });
  await t.mutation(api.admin.revokeEnrollmentCode, { session, codeId });
  await t.mutation(api.admin.retireDevice, { session, deviceId });
  const before = await Promise.all(tables.map(documentsOf));
  // The replaced state is older and less strict here, as after the undo of a restore.
  for (const [at, table] of tables.entries()) await apply(table, replaced[at] ?? []);
  expect(await Promise.all(tables.map(documentsOf))).toEqual(before);
  expect((await t.query(api.devices.me, { key })).status).toBe("retired");
});

it("ignores secrets that the backup does not have, and fields that it does not know", async () => {
  for (const table of tables) {
    const hash = "ef".repeat(32);
    const strict = {
      keyHash: hash,
      codeHash: hash,
      tokenHash: hash,
      revokedAt: 1,
      usedAt: 1,
      status: "retired",
    };
    await apply(table, [strict, { other: 1 }]);
  }
  expect(await documentsOf("apiKeys")).toMatchObject([{ name: "first key" }]);
});

it("ends all sessions at the end, and says in the audit trail if nothing was known", async () => {
  await apply(null, [], false);
  expect(await t.query(api.admin.me, { session })).toBeNull();
  const entries = await t.run(async (ctx) => await ctx.db.query("audit").order("desc").take(1));
  expect(entries).toMatchObject([
    { action: "backup.restored", detail: expect.stringContaining("could not be read") },
  ]);
});
