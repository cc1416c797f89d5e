import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import {
  addOrganization,
  type Backend,
  expectBooksInOrder,
  expectRefusal,
  listKeys,
  type Organization,
  secret,
  signIn,
  submit,
} from "./backend.fixture.ts";
import { joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let acme: Organization;
let session: string;
let keyId: Id<"apiKeys">;

beforeEach(async () => {
  const world = await openWorld();
  ({ t, session } = world);
  ({ acme } = world);
  keyId = (await listKeys(t, session))[0]!.keyId;
});

afterEach(closeWorld);

const change = async (credits: number, reason = "A new quarter", by = session) =>
  await t.mutation(api.console.money.grants.change, {
    session: by,
    holder: keyId,
    micro: BigInt(credits) * 1_000_000n,
    reason,
  });
const balance = async () => (await listKeys(t, session))[0]!.balanceMicro;

describe("the credits of a key", () => {
  it("are given and taken back with a reason, which is in the audit trail", async () => {
    const before = await balance();
    await change(25);
    expect(await balance()).toBe(before + 25_000_000n);
    await change(-5, "  Too many ");
    expect(await balance()).toBe(before + 20_000_000n);
    const { page } = await t.query(api.console.audit.list, {
      session,
      paginationOpts: { numItems: 2, cursor: null },
    });
    expect(page.map(({ action, detail }) => [action, detail])).toEqual([
      ["api-key.credits-changed", "5 taken: Too many"],
      ["api-key.credits-changed", "25 given: A new quarter"],
    ]);
    await expectBooksInOrder(t);
  });

  it("can be spent at once by a key that had none left", async () => {
    await change(-1000);
    expect(await balance()).toBe(0n);
    await expectRefusal(submit(t, acme), "quota_exceeded");
    await change(1);
    await submit(t, acme);
  });

  it("that a job holds cannot be taken", async () => {
    await submit(t, acme);
    const left = await balance();
    expect(left).toBeLessThan(1_000_000_000n);
    await expectRefusal(change(-1000), "conflict");
    expect(await balance()).toBe(left);
  });

  it("are none if its requester made it: nobody makes credits for themselves", async () => {
    const ada = await joinAs(t, session, { name: "Ada", roles: ["requester"] });
    const apiKey = secret("sk-");
    const made = { name: "k", keyHash: await hashSecret(apiKey), prefix: "sk-gleaner-k" };
    ({ keyId } = await t.mutation(api.console.keys.create, { session: ada.session, ...made }));
    expect(await balance()).toBe(0n);
    await expectRefusal(submit(t, { ...acme, apiKey }), "quota_exceeded");
    await change(1_000);
    await submit(t, { ...acme, apiKey });
    await expectBooksInOrder(t);
  });

  it("are changed by managers of the organization only, and within bounds", async () => {
    const ada = await joinAs(t, session, { name: "Ada", roles: ["requester"] });
    await t.mutation(api.console.keys.setOwner, { session, keyId, owner: ada.memberId });
    await expectRefusal(change(5, "For me", ada.session), "forbidden");
    const rival = await signIn(t, await addOrganization(t, { name: "Rival" }));
    await expectRefusal(change(5, "For me", rival), "not_found");
    await expectRefusal(change(0), "invalid");
    await expectRefusal(change(1_000_000_001), "invalid");
    await expectRefusal(change(5, "  "), "invalid");
    await t.mutation(api.console.keys.revoke, { session, keyId });
    await expectRefusal(change(5), "revoked");
  });
});
