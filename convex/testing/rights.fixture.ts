import { makeFunctionReference } from "convex/server";
import { ConvexError } from "convex/values";
import { refusedAct } from "../../app/people/refused-act.ts";
import { api } from "../_generated/api.js";
import type { ActionCtx } from "../_generated/server.js";
import { present, type Refusal } from "../model/refuse.ts";
import { type Backend, listKeys, type Organization, secret } from "./backend.fixture.ts";
import type { Ids } from "./idPlaces.fixture.ts";
import { addProvider, inviteMember } from "./people.fixture.ts";
import type { PublicFunction } from "./publicFunctions.fixture.ts";

/** How a call ended: its answer, or why it was refused. */
export type Outcome = { readonly answer: unknown } | { readonly refusal: Refusal };

/** A row of each table that callers name by id. None of them belongs to a person but the spare member's session. */
export async function rowsOf(t: Backend, { organizationId }: Organization, by: string): Promise<Ids> {
  const { keyId } = present((await listKeys(t, by))[0] ?? null, "key");
  const { codeId } = present((await t.query(api.console.codes.list, { session: by }))[0] ?? null, "code");
  const { teamId } = await t.mutation(api.console.people.createTeam, { session: by, name: "Spare" });
  const { invitationId } = await inviteMember(t, by, { name: "X", roles: ["donor"] });
  const spare = await t.run(async (ctx) => {
    const memberId = await ctx.db.insert("members", {
      organizationId,
      name: "Spare",
      roles: ["donor"],
      teamIds: [],
      createdAt: Date.now(),
    });
    const row = { organizationId, sessionHash: secret(""), memberId, expiresAt: Date.now() + 1_000_000 };
    const passkey = { credentialId: "spare", publicKey: "", counter: 0, transports: [], name: "Spare" };
    const owned = { organizationId, memberId, createdAt: Date.now() };
    return {
      members: memberId,
      sessions: await ctx.db.insert("sessions", row),
      passkeys: await ctx.db.insert("passkeys", { ...passkey, ...owned }),
    };
  });
  const ssoProviders = await addProvider(t, organizationId);
  const { devices, ...chosenBy } = await t.run(async (ctx) => {
    const ofOne = (row: { readonly organizationId: string }): boolean =>
      row.organizationId === organizationId;
    const device = (await ctx.db.query("devices").collect()).find(ofOne);
    const session = present((await ctx.db.query("sessions").collect()).find(ofOne) ?? null, "session");
    const memberId = present(session.memberId ?? null, "member");
    return { devices: present(device ?? null, "device")._id, sessionId: session._id, memberId };
  });
  const bulkActs = await t.run(
    async (ctx) =>
      await ctx.db.insert("bulkActs", {
        organizationId,
        ...chosenBy,
        act: { kind: "pause", group: "" },
        chosen: { deviceIds: [] },
        state: "found",
        counts: { changes: 0, same: 0, cannot: 0 },
        before: [],
        batches: 0,
        done: 0,
        createdAt: Date.now(),
      }),
  );
  const webhooks = await t.run(
    async (ctx) =>
      await ctx.db.insert("webhooks", {
        organizationId,
        url: "https://example.org",
        secret: "plain.x",
        createdAt: 0,
      }),
  );
  const webhookDeliveries = await t.run(
    async (ctx) =>
      await ctx.db.insert("webhookDeliveries", {
        webhookId: webhooks,
        type: "test",
        data: "{}",
        createdAt: 0,
        state: "failed",
        tries: 0,
        attempts: [],
      }),
  );
  const alertMails = await t.run(
    async (ctx) =>
      await ctx.db.insert("alertMails", {
        organizationId,
        memberId: spare.members,
        token: "plain.x",
        tokenHash: secret(""),
        createdAt: 0,
        waiting: [],
        more: 0,
        tries: 0,
      }),
  );
  const deviceViews = await t.run(
    async (ctx) =>
      await ctx.db.insert("deviceViews", {
        organizationId,
        memberId: spare.members,
        name: "Spare",
        view: {},
        shared: true,
        createdAt: 0,
      }),
  );
  const groupRules = await t.run(
    async (ctx) =>
      await ctx.db.insert("groupRules", { organizationId, rank: 0, group: "Spare", filter: { named: "x" } }),
  );
  const payouts = await t.run(
    async (ctx) =>
      await ctx.db.insert("payouts", {
        organizationId,
        memberId: spare.members,
        micro: 1n,
        lots: [],
        currency: "EUR",
        perCreditMicro: 1n,
        askedAt: 0,
        state: "refused",
      }),
  );
  const archives = await t.run(async (ctx) => {
    const { storage } = ctx as unknown as ActionCtx;
    const file = { rows: 1, bytes: 1, sha256: "", storageId: await storage.store(new Blob(["x"])) };
    const numbered = { organizationId, kind: "orders" as const, number: 1, month: 0 };
    return await ctx.db.insert("archives", { ...numbered, ...file, at: 0, cleared: 1, doneAt: 0 });
  });
  const heldCancels = await t.run(
    async (ctx) =>
      await ctx.db.insert("heldCancels", {
        organizationId,
        jobs: [],
        actor: chosenBy,
        at: 0,
        hasBegun: false,
      }),
  );
  const batches = await t.run(async (ctx) => {
    const of = { organizationId, apiKeyId: keyId };
    const file = { name: "spare.jsonl", purpose: "batch" as const, bytes: 0, parts: [], createdAt: 0 };
    return await ctx.db.insert("batches", {
      ...of,
      inputFileId: await ctx.db.insert("files", { ...of, ...file, expiresAt: Date.now() + 1_000_000 }),
      endpoint: "/v1/chat/completions",
      window: "24h",
      metadata: null,
      status: "in_progress",
      open: true,
      createdAt: 0,
      expiresAt: Date.now() + 1_000_000,
      total: 1,
      cut: { bytes: 0, lines: 0, requests: 1 },
      isCut: true,
      cutAt: 0,
      collectedAt: 0,
      completed: 0,
      failed: 0,
      expired: 0,
      usage: { promptTokens: 0, completionTokens: 0 },
      priceMicro: 0n,
      mistakes: [],
    });
  });
  return {
    alertMails,
    batches,
    heldCancels,
    payouts,
    archives,
    deviceViews,
    groupRules,
    apiKeys: keyId,
    webhooks,
    webhookDeliveries,
    bulkActs,
    enrolmentCodes: codeId,
    teams: teamId,
    invitations: invitationId,
    devices,
    ssoProviders,
    ...spare,
  };
}

async function call(
  t: Backend,
  { name, type }: PublicFunction,
  args: Record<string, unknown>,
): Promise<unknown> {
  if (type === "query") return await t.query(makeFunctionReference<"query">(name), args);
  if (type === "action") return await t.action(makeFunctionReference<"action">(name), args);
  return await t.mutation(makeFunctionReference<"mutation">(name), args);
}

/** Calls a function, and says how that ended. */
export async function outcomeOf(
  t: Backend,
  called: PublicFunction,
  args: Record<string, unknown>,
): Promise<Outcome> {
  try {
    const answer = await call(t, called, args);
    const refused = refusedAct(answer);
    return refused === null ? { answer } : { refusal: refused as Refusal };
  } catch (error) {
    if (error instanceof ConvexError) return { refusal: error.data as Refusal };
    throw error;
  }
}

/** Whether the role kept the caller out, before the function ran. */
export const isKeptOut = (outcome: Outcome): boolean =>
  "refusal" in outcome && outcome.refusal.message.startsWith("Your role (");

/** A value in words that can be compared and searched. */
export const inWords = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? String(part) : part));
