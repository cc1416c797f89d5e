import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { api, internal } from "../_generated/api.js";
import type { Id } from "../_generated/dataModel.js";
import { hashSecret } from "../model/authenticate.ts";
import { type Backend, expectRefusal, secret } from "./backend.fixture.ts";
import { addProvider, joinAs } from "./people.fixture.ts";
import { closeWorld, openWorld } from "./world.fixture.ts";

let t: Backend;
let owner: string;
let memberId: Id<"members">;
let session: string;

beforeEach(async () => {
  ({ t, session: owner } = await openWorld());
  ({ memberId, session } = await joinAs(t, owner, {
    name: "Ada",
    roles: ["requester"],
    email: "ada@example.org",
  }));
});

afterEach(closeWorld);

const endAll = async () => await t.mutation(api.console.people.endSessions, { session: owner, memberId });

async function organizationId(): Promise<Id<"organizations">> {
  return (await t.run(async (ctx) => await ctx.db.get("members", memberId)))!.organizationId;
}

async function newest(): Promise<string | undefined> {
  const paginationOpts = { numItems: 1, cursor: null };
  const asked = { session: owner, paginationOpts, action: "member.session-ended" };
  return (await t.query(api.console.audit.list, asked)).page[0]?.detail ?? undefined;
}

describe("“End all sessions” also ends", () => {
  it("a sign-in that waits for the second factor", async () => {
    const pending = secret("gs_");
    const organization = await organizationId();
    await t.run(async (ctx) => {
      const row = { organizationId: organization, memberId };
      await ctx.db.insert("secondFactors", {
        ...row,
        secret: "plain.JBSWY3DPEHPK3PXP",
        confirmedAt: 1,
        lastStep: 0,
        recoveryHashes: [],
      });
      const sessionHash = await hashSecret(pending);
      const expiresAt = Date.now() + 60_000;
      await ctx.db.insert("pendingSignIns", { ...row, sessionHash, method: "password", expiresAt });
    });
    const give = async () =>
      await t.action(api.console.access.secondFactor.signIn, { session: pending, code: "000000" });
    expect(await give()).toEqual({ kind: "refused", reason: "wrong" });
    await endAll();
    expect(await give()).toEqual({ kind: "refused", reason: "ended" });
    expect(await newest()).toBe("1 session, 1 unfinished sign-in or unused link");
  });

  it("a sign-in that comes back from a provider", async () => {
    const [begun, code] = [secret("gs_"), secret("")];
    const organization = await organizationId();
    const providerId = await addProvider(t, organization);
    const store = async () =>
      await t.run(async (ctx) => {
        await ctx.db.insert("ssoAttempts", {
          organizationId: organization,
          providerId,
          sessionHash: await hashSecret(begun),
          codeHash: await hashSecret(code),
          nonce: "n",
          verifier: "v",
          returnTo: "https://gleaner.example.org/",
          expiresAt: Date.now() + 60_000,
          memberId,
        });
      });
    const finish = async () => await t.mutation(api.console.access.signIn.finish, { code, session: begun });
    await store();
    await endAll();
    await expectRefusal(finish(), "unauthorized");
    await store();
    expect(await finish()).toMatchObject({ kind: "signed-in" });
  });

  it("links to sign in and to reset a password, and says so to whoever opens them", async () => {
    const tokens = [secret("gs_"), secret("gs_")] as const;
    const [link, reset] = await Promise.all(tokens.map(hashSecret));
    await t.mutation(api.console.people.signInLink, { session: owner, memberId, tokenHash: link! });
    await t.mutation(internal.access.mailing.storeResetLink, { memberId, tokenHash: reset! });
    await endAll();
    for (const token of tokens) {
      const opened = { token, session: secret("gs_") };
      expect(await t.mutation(api.console.account.signIn, opened)).toEqual({
        kind: "refused",
        reason: "expired",
      });
    }
    const fresh = secret("gs_");
    const tokenHash = await hashSecret(fresh);
    await t.mutation(api.console.people.signInLink, { session: owner, memberId, tokenHash });
    const opened = { token: fresh, session: secret("gs_") };
    expect(await t.mutation(api.console.account.signIn, opened)).toMatchObject({ kind: "signed-in" });
  });

  it("the registration of a passkey, and nothing of other members", async () => {
    const register = async (of: Id<"members">) =>
      await t.run(
        async (ctx) =>
          await ctx.db.insert("passkeyChallenges", {
            challengeHash: secret(""),
            origin: "https://gleaner.example.org",
            memberId: of,
            expiresAt: Date.now() + 60_000,
          }),
      );
    const other = await joinAs(t, owner, { name: "Bo", roles: ["donor"] });
    await register(memberId);
    const kept = await register(other.memberId);
    await endAll();
    expect(await t.run(async (ctx) => await ctx.db.query("passkeyChallenges").collect())).toMatchObject([
      { _id: kept },
    ]);
    expect(await t.query(api.console.account.me, { session: other.session })).not.toBeNull();
  });
});

it("“End all others” and a new password end them, too", async () => {
  const open = async (): Promise<string> => {
    const token = secret("gs_");
    const tokenHash = await hashSecret(token);
    await t.mutation(api.console.people.signInLink, { session: owner, memberId, tokenHash });
    return token;
  };
  const first = await open();
  await t.mutation(api.console.account.endOtherSessions, { session });
  const second = await open();
  await t.action(api.console.access.passwords.set, { session, password: "correct horse battery" });
  for (const token of [first, second]) {
    const opened = { token, session: secret("gs_") };
    expect(await t.mutation(api.console.account.signIn, opened)).toMatchObject({ reason: "expired" });
  }
  expect(await t.query(api.console.account.me, { session })).not.toBeNull();
});
