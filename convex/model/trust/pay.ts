import { sumOfLots, takeOldest } from "../../../app/credits/lots.ts";
import { scopeOf } from "../../../app/people/rights.ts";
import { isOnProbation, type Standing } from "../../../app/trust/standing.ts";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { book } from "../credits/wallet.ts";
import { accountRow, lotsOf } from "../ledger/balance.ts";
import { closingKey } from "../ledger/reservations.ts";
import {
  bonusAccount,
  checkAccount,
  deviceAccount,
  type Entry,
  heldAccount,
  transfer,
} from "../ledger/transfer.ts";
import { belongsTo } from "../memberCalls.ts";
import { orderOf } from "../orders/orders.ts";
import { currentMembers, type Member } from "../people/members.ts";
import { boundedText, refuse as refuseCall } from "../refuse.ts";
import { entriesBack } from "./giveBack.ts";
import { modeOf } from "./mode.ts";
import { mayBeReplayed } from "./replays.ts";
import { isNewTo } from "./standings.ts";

/*
 * The pay of answers and of replays in organizations that act on checks. While a device is new to a model, or a case about the answer is
 * open, its pay is on an account of its own, and nobody can spend it. Each held pay has one row and is released or refused once, since that
 * deletes the row.
 */

type HeldPay = Doc<"heldPays">;

/** Held pay that one transaction releases or refuses. */
const perCall = 50;

/** Whether the pay of a device that just answered waits for a check. */
export async function isPayHeld(
  ctx: QueryCtx,
  order: Doc<"orders">,
  deviceId: Id<"devices">,
  now: number,
): Promise<boolean> {
  if (!mayBeReplayed(order)) return false;
  return await isNewTo(ctx, { deviceId, modelId: order.modelId }, now);
}

/** Notes that the pay of an answer, or of a replay, was settled to the held account of its device. */
export async function noteHeldPay(
  ctx: MutationCtx,
  {
    organizationId,
    jobId,
    modelId,
    apiKeyId,
  }: Pick<Doc<"orders">, "organizationId" | "jobId" | "modelId" | "apiKeyId">,
  pay: {
    readonly deviceId: Id<"devices">;
    readonly micro: bigint;
    readonly bonusMicro: bigint;
    readonly at: number;
    readonly caseId?: Id<"trustCases">;
    readonly paidBefore?: true;
  },
): Promise<void> {
  const owner = (await ctx.db.get("devices", pay.deviceId))?.owner;
  await ctx.db.insert("heldPays", {
    organizationId,
    jobId,
    modelId,
    apiKeyId,
    ...pay,
    ...(owner === undefined ? {} : { owner }),
  });
}

/** The pay of an answer that still waits; null if none does. */
export async function heldPayOf(ctx: QueryCtx, jobId: string): Promise<HeldPay | null> {
  return await ctx.db
    .query("heldPays")
    .withIndex("by_job", (q) => q.eq("jobId", jobId))
    .unique();
}

/** Held pay is released or refused once, by the transfer with this key. */
export function heldKey(jobId: string): string {
  return `held:${jobId}`;
}

/** The transfers that hold pay which was given before, and that release or refuse it. An answer has one case at most. */
function caseKeys(jobId: string): { readonly hold: string; readonly end: string } {
  return { hold: `case-held:${jobId}`, end: `case-ended:${jobId}` };
}

async function release(ctx: MutationCtx, held: HeldPay, at: number): Promise<void> {
  const { deviceId, micro, bonusMicro, owner = null, paidBefore = false } = held;
  const bonus = bonusMicro === 0n ? {} : { bonusMicro };
  // A job that was paid before is counted already.
  const entry = { account: deviceAccount(deviceId), micro, jobs: paidBefore ? 0 : 1, owner, ...bonus };
  await end(ctx, held, [entry], at);
}

/** Refuses the held pay of a wrong answer. @returns the part that the device had been paid before; 0 also if none is held. */
export async function refusePay(ctx: MutationCtx, jobId: string, at: number): Promise<bigint> {
  const held = await heldPayOf(ctx, jobId);
  if (held === null) return 0n;
  await refuse(ctx, held, at);
  return held.paidBefore === true ? held.micro : 0n;
}

/** Gives the price of a wrong answer back, and the bonus to the organization. The organization paid for a replay, so it gets that back. */
async function refuse(ctx: MutationCtx, held: HeldPay, at: number): Promise<void> {
  const { organizationId, jobId, micro, bonusMicro } = held;
  const order = await orderOf(ctx, jobId);
  const back =
    order === null
      ? [{ account: checkAccount(organizationId), micro }]
      : await entriesBack(ctx, order, micro - bonusMicro, at);
  const bonus = { account: bonusAccount(organizationId), micro: bonusMicro };
  await end(ctx, held, bonusMicro === 0n ? back : [...back, bonus], at);
}

/** Moves held pay to where it belongs. */
async function end(ctx: MutationCtx, held: HeldPay, entries: readonly Entry[], at: number): Promise<void> {
  const { _id, organizationId, jobId, deviceId, micro, paidBefore = false } = held;
  await transfer(ctx, {
    key: paidBefore ? caseKeys(jobId).end : heldKey(jobId),
    organizationId,
    kind: "move",
    at,
    jobId,
    entries: [{ account: heldAccount(deviceId), micro: -micro }, ...entries],
  });
  await ctx.db.delete("heldPays", _id);
}

/** Which held pay is settled: that of a device with a model, or all of an organization. */
export type WhichPay =
  | { readonly deviceId: Id<"devices">; readonly modelId: string }
  | { readonly organizationId: Id<"organizations"> };

/**
 * Releases or refuses held pay. What one transaction cannot do follows soon. While a case about an answer is open, only its end
 * releases the pay, or refuses pay that was given before.
 */
export async function settleHeld(
  ctx: MutationCtx,
  which: WhichPay,
  how: "released" | "refused",
  at: number,
): Promise<void> {
  const query = ctx.db.query("heldPays");
  const found =
    "deviceId" in which
      ? query.withIndex("by_device", (q) => {
          const { deviceId, modelId } = which;
          const ofModel = q.eq("deviceId", deviceId).eq("modelId", modelId).eq("paidBefore", undefined);
          return how === "released" ? ofModel.eq("caseId", undefined) : ofModel;
        })
      : query.withIndex("by_organization", (q) => q.eq("organizationId", which.organizationId));
  const some = await found.take(perCall);
  for (const held of some) await (how === "released" ? release : refuse)(ctx, held, at);
  if (some.length < perCall) return;
  if ("deviceId" in which)
    await ctx.scheduler.runAfter(0, internal.trust.checks.settleHeldOf, { ...which, how });
  else await ctx.scheduler.runAfter(0, internal.trust.checks.releaseAll, which);
}

/**
 * Releases the held pay of a device with a model once enough of its answers fit. One answer of another model may fit by chance. Once enough
 * have, the others are as good as those that were checked. It does not ask whether the device was on probation before: a standing fades,
 * so pay may have been held since it was stored.
 */
export async function endProbation(
  ctx: MutationCtx,
  pair: { readonly deviceId: Id<"devices">; readonly modelId: string },
  after: Standing,
  at: number,
): Promise<void> {
  if (!isOnProbation(after)) await settleHeld(ctx, pair, "released", at);
}

/**
 * Releases the pay of an answer whose case ended without a finding against it. If its device is still new to the model, pay that was not
 * given before the case goes on waiting for checks.
 */
export async function releaseAfterCase(
  ctx: MutationCtx,
  order: Doc<"orders">,
  deviceId: Id<"devices">,
  at: number,
): Promise<void> {
  const held = await heldPayOf(ctx, order.jobId);
  if (held === null) return;
  const waits =
    held.paidBefore !== true &&
    (await modeOf(ctx, order.organizationId)) === "act" &&
    (await isPayHeld(ctx, order, deviceId, at));
  if (waits) await ctx.db.patch("heldPays", held._id, { caseId: undefined });
  else await release(ctx, held, at);
}

/** Rows of held pay among which the member's own pay is looked for. */
const mostHeldRows = 200;

/**
 * Whether another member has to release the pay of a device. As long as somebody else may, nobody releases pay that they get, or
 * the pay of a device that is or was theirs. False for members who may release none.
 */
export async function isForOthers(
  ctx: QueryCtx,
  { _id: deviceId, organizationId, owner, givers = [] }: Doc<"devices">,
  member: Member,
): Promise<boolean> {
  if (scopeOf("checks.change", member.roles) === null) return false;
  const held = await ctx.db
    .query("heldPays")
    .withIndex("by_device", (q) => q.eq("deviceId", deviceId))
    .take(mostHeldRows);
  const owners = [owner, ...givers, ...held.map((row) => row.owner)];
  const isOwn = (one: Member): boolean => owners.some((each) => belongsTo(one, each));
  if (!isOwn(member)) return false;
  const members = await currentMembers(ctx, organizationId);
  return members.some((other) => scopeOf("checks.change", other.roles) !== null && !isOwn(other));
}

/** The models of a device that one release goes through. */
const mostModels = 50;
const maxReasonChars = 200;

/**
 * Releases the held pay of a device, because a person decided so. Pay of answers with an open case stays held. The pay for
 * its first model is released now. The other models follow soon, since all together may be too much for one transaction. Refuses: forbidden
 * (another member has to do it), invalid (no reason), conflict (none is held).
 */
export async function releaseByHand(
  ctx: MutationCtx,
  device: Doc<"devices">,
  { releaser, reason }: { readonly releaser: Member; readonly reason: string },
  by: Act,
): Promise<void> {
  const { _id: deviceId, organizationId } = device;
  if (await isForOthers(ctx, device, releaser))
    refuseCall(
      "forbidden",
      "Nobody releases the pay of their own device. Ask another owner or administrator.",
    );
  const why = boundedText(reason, "The reason", maxReasonChars);
  const [first, ...others] = await modelsWithHeldPay(ctx, deviceId);
  if (first === undefined)
    refuseCall("conflict", "No pay of this device waits, but for answers about which a case is open.");
  await settleHeld(ctx, { deviceId, modelId: first }, "released", by.at);
  for (const modelId of others) {
    const which = { deviceId, modelId, how: "released" } as const;
    await ctx.scheduler.runAfter(0, internal.trust.checks.settleHeldOf, which);
  }
  await record(ctx, { organizationId, ...by, action: "device.pay-released", subject: deviceId, detail: why });
}

/** The models of a device with held pay about which no case is open. */
async function modelsWithHeldPay(ctx: QueryCtx, deviceId: Id<"devices">): Promise<readonly string[]> {
  const models: string[] = [];
  let last = "";
  for (let read = 0; read < mostModels; read += 1) {
    const after = last;
    const next = await ctx.db
      .query("heldPays")
      .withIndex("by_device", (q) => q.eq("deviceId", deviceId).gt("modelId", after))
      .first();
    if (next === null) return models;
    last = next.modelId;
    if (await isAnyHeld(ctx, deviceId, last)) models.push(last);
  }
  return models;
}

/** Whether pay of a device with a model waits for checks, and for no case. */
export async function isAnyHeld(ctx: QueryCtx, deviceId: Id<"devices">, modelId: string): Promise<boolean> {
  const held = await ctx.db
    .query("heldPays")
    .withIndex("by_device", (q) =>
      q.eq("deviceId", deviceId).eq("modelId", modelId).eq("paidBefore", undefined).eq("caseId", undefined),
    )
    .first();
  return held !== null;
}

/**
 * Takes back the pay that was already given for a wrong answer, and gives it to the requester. It takes no more than the device's
 * account still has: pay that its owner moved elsewhere stays there, and so does the pay of a former owner.
 * @returns the amount.
 */
export async function takeBack(
  ctx: MutationCtx,
  order: Doc<"orders">,
  deviceId: Id<"devices">,
  at: number,
): Promise<bigint> {
  const { micro, debits } = await paidStill(ctx, order, deviceId);
  if (micro === 0n) return 0n;
  const { organizationId, jobId } = order;
  const booked = await book(ctx, {
    key: `taken-back:${jobId}`,
    organizationId,
    kind: "move",
    at,
    jobId,
    entries: [...debits, ...(await entriesBack(ctx, order, micro, at))],
  });
  return booked === "booked" ? micro : 0n;
}

/**
 * Holds the pay of an answer while a case about it is open, so that nobody spends it before the verdict. Pay that was given already is
 * taken from the device's account, as far as that still has it.
 */
export async function holdForCase(
  ctx: MutationCtx,
  order: Doc<"orders">,
  { deviceId, caseId, at }: Pick<HeldPay, "deviceId" | "at"> & { readonly caseId: Id<"trustCases"> },
): Promise<void> {
  const { organizationId, jobId } = order;
  const held = await heldPayOf(ctx, jobId);
  if (held !== null) {
    await ctx.db.patch("heldPays", held._id, { caseId });
    return;
  }
  const { micro, debits } = await paidStill(ctx, order, deviceId);
  if (micro === 0n) return;
  await book(ctx, {
    key: caseKeys(jobId).hold,
    organizationId,
    kind: "move",
    at,
    jobId,
    entries: [...debits, { account: heldAccount(deviceId), micro }],
  });
  await noteHeldPay(ctx, order, { deviceId, micro, bonusMicro: 0n, at, caseId, paidBefore: true });
}

/**
 * The pay of an answer, without a bonus, that the device's account has and still had at its last projection. Nothing if the device
 * has another owner now, since that one did nothing wrong. Nothing either if the organization did not act on checks then.
 * @returns the amount, and the entries that take it.
 */
async function paidStill(
  ctx: QueryCtx,
  order: Doc<"orders">,
  deviceId: Id<"devices">,
): Promise<{ readonly micro: bigint; readonly debits: readonly Entry[] }> {
  const device = await ctx.db.get("devices", deviceId);
  const none = { micro: 0n, debits: [] };
  if (order.paidOwner === undefined || order.paidOwner !== (device?.owner ?? null)) return none;
  const account = deviceAccount(deviceId);
  const ofCase = caseKeys(order.jobId);
  const keys = [closingKey(order), heldKey(order.jobId), ofCase.hold, ofCase.end];
  const transfers = keys.map(async (transferKey) => await entriesOf(ctx, transferKey));
  const entries = (await Promise.all(transfers)).flat();
  const paid = entries.reduce((sum, entry) => sum + (entry.account === account ? entry.micro : 0n), 0n);
  const earned = paid - (order.bonusMicro ?? 0n);
  const lots = lotsOf(await accountRow(ctx, account));
  const has = sumOfLots(lots);
  const micro = has < earned ? has : earned;
  const pieces = micro > 0n ? takeOldest([{ account, lots }], micro) : null;
  if (pieces === null) return none;
  const debits = pieces.map((piece) => ({
    account,
    micro: -piece.micro,
    earnedAt: piece.startAt,
    takenBack: true,
  }));
  return { micro, debits };
}

/**
 * The most entries of a transfer of pay that are read. A settlement has an entry of escrow, one of the key, one for a bonus, and at most two
 * of devices. One that holds pay again has an entry for each month in which the device's credits were earned.
 */
const mostEntries = 100;

/** The entries of a transfer of pay. */
export async function entriesOf(ctx: QueryCtx, transferKey: string): Promise<Doc<"ledgerEntries">[]> {
  return await ctx.db
    .query("ledgerEntries")
    .withIndex("by_transfer", (q) => q.eq("transferKey", transferKey))
    .take(mostEntries);
}
