import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { internal } from "../_generated/api.js";
import type { Doc } from "../_generated/dataModel.js";
import { transfer } from "../model/ledger/transfer.ts";
import {
  addDevice,
  type Backend,
  claim,
  complete,
  expectBooksInOrder,
  type Organization,
  pass,
  submit,
} from "./backend.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;

beforeEach(async () => {
  ({ t, acme } = await openWorld());
  const device = await addDevice(t, acme);
  await complete(t, device, await claim(t, device, await submit(t, acme)));
  await pass(t, 3_000);
});

afterEach(closeWorld);

const project = async (): Promise<void> => void (await t.mutation(internal.maintenance.project, {}));
const change = async (kind: string, micro: bigint): Promise<void> =>
  await t.run(async ({ db }) => {
    const rows: readonly Doc<"accounts">[] = await db.query("accounts").collect();
    const row = rows.find(({ account }) => account.startsWith(kind))!;
    await db.patch("accounts", row._id, { balanceMicro: row.balanceMicro + micro });
  });

describe("the test of the books", () => {
  it("passes before and after the projection", async () => {
    await expectBooksInOrder(t);
    await project();
    await expectBooksInOrder(t);
  });

  it("finds a balance that is not the sum of its entries, also if all balances sum to 0", async () => {
    await project();
    await change("device", 1n);
    await change("key", -1n);
    await expect(expectBooksInOrder(t)).rejects.toThrow();
  });

  it("finds entries that no projection will add", async () => {
    await t.run(async ({ db }) => {
      for (const { _id } of await db.query("ledgerPending").collect()) await db.delete("ledgerPending", _id);
    });
    await expect(expectBooksInOrder(t)).rejects.toThrow();
  });

  it.each([
    ["house", "house", false],
    ["device", "held", false],
    ["house", "bonus", true],
  ])("of a transfer to a %s account from an empty %s account passes: %s", async (to, from, isAllowed) => {
    const { organizationId } = acme;
    const [target, source] = [`${to}:${organizationId}`, `${from}:${organizationId}-empty`];
    const entries = [
      { account: target, micro: 5n },
      { account: source, micro: -5n },
    ];
    await t.run(async (ctx) => {
      await transfer(ctx, { key: "bad", organizationId, kind: "move", at: Date.now(), entries });
    });
    if (isAllowed) await expectBooksInOrder(t);
    else await expect(expectBooksInOrder(t)).rejects.toThrow();
  });
});
