import type { WithoutSystemFields } from "convex/server";
import type { Infer } from "convex/values";
import { tooFewCredits } from "../../../app/credits/too-few.ts";
import type { Usage } from "../../../app/jobs/chat.ts";
import { type PartialPay, partialPay, priceOf } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { refuse } from "../refuse.ts";
import type { outcome } from "../validators/requests.ts";
import { availableOf, hold, holdUpTo } from "./holds.ts";
import {
  bonusAccount,
  coverAccount,
  deviceAccount,
  type Entry,
  escrowAccount,
  heldAccount,
  keyAccount,
  transfer,
} from "./transfer.ts";

type Outcome = Infer<typeof outcome>;

/** An order that may not be stored yet. */
type NewOrder = WithoutSystemFields<Doc<"orders">> & { readonly _creationTime?: number };

/** The highest price that a job can have. A reservation may be less: app/money/likely.ts. */
export function highestMicro({
  price,
  pricePercent: percent,
  most,
  reservedPromptTokens: promptTokens,
  reservedMicro,
}: Pick<NewOrder, "price" | "pricePercent" | "most" | "reservedPromptTokens" | "reservedMicro">): bigint {
  if (promptTokens === undefined) return reservedMicro;
  return priceOf({ ...price, percent }, { promptTokens, completionTokens: most.completionTokens });
}

/** The most tokens that a job is paid for. They count as used until its end. */
export function reservedTokens({
  most,
  reservedPromptTokens = most.promptTokens,
}: Pick<NewOrder, "most" | "reservedPromptTokens">): number {
  return reservedPromptTokens + most.completionTokens;
}

/**
 * Moves the likely price of a job from the key to escrow, until the job's round is settled or released. The caller has held it
 * (`hold`).
 */
export async function reserve(ctx: MutationCtx, order: NewOrder, at: number): Promise<void> {
  const { jobId, organizationId, apiKeyId, reservedMicro, round, priceVersion } = order;
  // A retry belongs to the day of its request.
  const counts = {
    at: order._creationTime ?? at,
    requests: round === 0 ? 1 : 0,
    tokens: reservedTokens(order),
  };
  const booked = await transfer(ctx, {
    key: reservingKey(order),
    organizationId,
    kind: "reserve",
    at,
    jobId,
    priceVersion,
    entries: [
      { account: keyAccount(apiKeyId), micro: -reservedMicro, counts, held: true },
      { account: escrowAccount(organizationId), micro: reservedMicro },
    ],
  });
  if (booked === "repeated") throw new Error(`job ${jobId} has reserved already`);
}

/** The further reservation of a job if its price rises to a percent of the model's. 0 if it costs as much already. */
export function raiseTo(order: Doc<"orders">, pricePercent: number): bigint {
  const { reservedPromptTokens, most, pricePercent: before = 100 } = order;
  if (pricePercent <= before || reservedPromptTokens === undefined) return 0n;
  const { held = { promptTokens: reservedPromptTokens, completionTokens: most.completionTokens } } = order;
  return priceOf({ ...order.price, percent: pricePercent }, held) - order.reservedMicro;
}

/**
 * Raises the price of a job, and its reservation, to a percent of the model's price. Does nothing if it costs as much already.
 * Refuses: quota_exceeded.
 */
export async function raiseReservation(
  ctx: MutationCtx,
  order: Doc<"orders">,
  { pricePercent, priceVersion }: { readonly pricePercent: number; readonly priceVersion: string },
  at: number,
): Promise<void> {
  const { apiKeyId, reservedPromptTokens, pricePercent: before = 100 } = order;
  if (pricePercent <= before || reservedPromptTokens === undefined) return;
  const added = raiseTo(order, pricePercent);
  const reservedMicro = order.reservedMicro + added;
  const highest = highestMicro({ ...order, pricePercent });
  if (!(await hold(ctx, apiKeyId, added, highest - order.reservedMicro))) {
    const has = (await availableOf(ctx, apiKeyId)) + order.reservedMicro;
    refuse("quota_exceeded", tooFewCredits("With the higher priority the job", highest, has));
  }
  await addToReservation(ctx, { ...order, priceVersion }, added, at);
  await ctx.db.patch("orders", order._id, { reservedMicro, pricePercent, priceVersion });
}

/** Gives a job its earlier price and reservation again, before it has ended. */
export async function lowerReservation(
  ctx: MutationCtx,
  order: Doc<"orders">,
  {
    reservedMicro,
    pricePercent,
    priceVersion,
  }: Pick<Doc<"orders">, "reservedMicro" | "pricePercent" | "priceVersion">,
  at: number,
): Promise<void> {
  if (reservedMicro === order.reservedMicro) return;
  await addToReservation(ctx, { ...order, priceVersion }, reservedMicro - order.reservedMicro, at);
  await ctx.db.patch("orders", order._id, { reservedMicro, pricePercent, priceVersion });
}

/** Moves credits between the key and escrow. Each change of a job has a number, since a price can be raised again. */
async function addToReservation(
  ctx: MutationCtx,
  order: Omit<Doc<"orders">, "priceVersion"> & { readonly priceVersion?: string | undefined },
  micro: bigint,
  at: number,
): Promise<void> {
  const { _id, _creationTime, organizationId, jobId, round, apiKeyId, reservationChanges = 0 } = order;
  const booked = await transfer(ctx, {
    key: `reservation:${jobId}:${String(round)}:${String(reservationChanges)}`,
    organizationId,
    kind: "reserve",
    at,
    jobId,
    priceVersion: order.priceVersion,
    entries: [
      {
        account: keyAccount(apiKeyId),
        micro: -micro,
        counts: { at: _creationTime, requests: 0, tokens: 0 },
        ...(micro > 0n ? { held: true } : {}),
      },
      { account: escrowAccount(organizationId), micro },
    ],
  });
  if (booked === "repeated") throw new Error(`the reservation of job ${jobId} was changed already`);
  await ctx.db.patch("orders", _id, { reservationChanges: reservationChanges + 1 });
}

/** The transfer key that opens a round's reservation. */
export function reservingKey({ jobId, round }: Pick<Doc<"orders">, "jobId" | "round">): string {
  return `reserve:${jobId}:${String(round)}`;
}

/**
 * The transfer key that closes a round's reservation. Settlement and release share it, so a round is closed once: a job
 * is never paid twice, nor both paid and released.
 */
export function closingKey({ jobId, round }: Pick<Doc<"orders">, "jobId" | "round">): string {
  return `close:${jobId}:${String(round)}`;
}

/** The round whose reservation an entry's transfer closed; null for other transfers. */
export function closingRound({ transferKey }: Pick<Doc<"ledgerEntries">, "transferKey">): number | null {
  const [kind, , round] = transferKey.split(":");
  return kind === "close" ? Number(round) : null;
}

/** A device that had written a part of the answer when another one finished it. `share`: 0 to 1. */
export type Outrun = { readonly deviceId: Id<"devices">; readonly share: number };

/**
 * The device that did a job. `isOwn`: it belongs to the owner of the job's key, and is not paid. `bonusMicro`: what bonus hours add to its
 * pay. The organization gives that, not the key. `isHeld`: the pay waits for a check, and the device cannot spend it before.
 */
export type Finisher = {
  readonly deviceId: Id<"devices">;
  readonly isOwn: boolean;
  readonly bonusMicro: bigint;
  readonly isHeld: boolean;
};

/**
 * The true price of an answer. Prompt and answer are each paid up to their part of the highest price: the part that a short answer
 * leaves pays for no prompt.
 */
export function dueOf(order: Doc<"orders">, usage: Usage): { readonly paid: Usage; readonly micro: bigint } {
  const { price, pricePercent, most, reservedPromptTokens = Infinity } = order;
  const paid = {
    promptTokens: Math.min(usage.promptTokens, reservedPromptTokens),
    completionTokens: Math.min(usage.completionTokens, most.completionTokens),
  };
  const worth = priceOf({ ...price, percent: pricePercent }, paid);
  const highest = highestMicro(order);
  return { paid, micro: worth < highest ? worth : highest };
}

/**
 * The amounts that a job's end moved. `earned`: without the bonus. `outrunPay`: of a device that was outrun; null: it earned nothing.
 * `coveredMicro`: the part that its key did not have.
 */
type Settled = {
  readonly earned: bigint;
  readonly outrunPay: PartialPay | null;
  readonly coveredMicro: bigint;
};

/**
 * Pays the device the true price and its bonus, and returns the rest of the reservation to the key. A device that was outrun gets its
 * part from what the highest price leaves. What the reservation lacks comes from the key, and the organization covers what the key
 * does not have. An own job costs nothing and earns nothing.
 */
export async function settle(
  ctx: MutationCtx,
  order: Doc<"orders">,
  { deviceId, isOwn, bonusMicro, isHeld }: Finisher,
  usage: Usage,
  at: number,
  outrun: Outrun | null = null,
): Promise<Settled> {
  const { organizationId, apiKeyId, reservedMicro } = order;
  const { paid, micro: due } = dueOf(order, usage);
  const price = { ...order.price, percent: order.pricePercent };
  const earned = isOwn ? 0n : due;
  const left = highestMicro(order) - earned;
  const pay = outrun === null ? null : partialPay(price, paid, { share: outrun.share, earned: due, left });
  const part = pay?.micro ?? 0n;
  const back = reservedMicro - earned - part;
  const taken = back < 0n ? await holdUpTo(ctx, apiKeyId, -back) : 0n;
  const coveredMicro = back < 0n ? -back - taken : 0n;
  await close(ctx, order, "succeeded", at, [
    isHeld
      ? { account: heldAccount(deviceId), micro: earned + bonusMicro }
      : {
          ...(await payee(ctx, deviceId)),
          micro: earned + bonusMicro,
          jobs: 1,
          ...(bonusMicro === 0n ? {} : { bonusMicro }),
        },
    ...(bonusMicro === 0n ? [] : [{ account: bonusAccount(organizationId), micro: -bonusMicro }]),
    ...(outrun === null || part === 0n ? [] : [{ ...(await payee(ctx, outrun.deviceId)), micro: part }]),
    {
      account: keyAccount(apiKeyId),
      micro: back < 0n ? -taken : back,
      counts: unused(order, paid.promptTokens + paid.completionTokens),
      ...(taken > 0n ? { held: true } : {}),
    },
    ...(coveredMicro === 0n ? [] : [{ account: coverAccount(organizationId), micro: -coveredMicro }]),
  ]);
  if (coveredMicro > 0n) await noteCover(ctx, apiKeyId, at);
  return { earned, outrunPay: part === 0n ? null : pay, coveredMicro };
}

const coverNotedMs = 86_400_000;

/** From then on the key reserves highest prices for some time. Written once a day, since every call of the key reads its row. */
async function noteCover(ctx: MutationCtx, apiKeyId: Id<"apiKeys">, at: number): Promise<void> {
  const key = await ctx.db.get("apiKeys", apiKeyId);
  if (key === null || (key.coveredAt ?? -Infinity) > at - coverNotedMs) return;
  await ctx.db.patch("apiKeys", apiKeyId, { coveredAt: at });
}

async function payee(ctx: MutationCtx, deviceId: Id<"devices">): Promise<Pick<Entry, "account" | "owner">> {
  const device = await ctx.db.get("devices", deviceId);
  return { account: deviceAccount(deviceId), owner: device?.owner ?? null };
}

/** Returns the whole reservation to the key: the job ended without an answer. */
export async function releaseReservation(
  ctx: MutationCtx,
  order: Doc<"orders">,
  ended: Exclude<Outcome, "succeeded">,
  at: number,
): Promise<void> {
  const { apiKeyId, reservedMicro } = order;
  await close(ctx, order, ended, at, [
    { account: keyAccount(apiKeyId), micro: reservedMicro, counts: unused(order, 0) },
  ]);
}

/** Takes the tokens back that were reserved and not used. */
function unused(order: Doc<"orders">, usedTokens: number): NonNullable<Entry["counts"]> {
  return { at: order._creationTime, requests: 0, tokens: usedTokens - reservedTokens(order) };
}

async function close(
  ctx: MutationCtx,
  order: Doc<"orders">,
  ended: Outcome,
  at: number,
  credits: readonly Entry[],
): Promise<void> {
  const { organizationId, jobId, reservedMicro, priceVersion } = order;
  const booked = await transfer(ctx, {
    key: closingKey(order),
    organizationId,
    kind: ended === "succeeded" ? "settle" : "release",
    at,
    jobId,
    priceVersion,
    entries: [{ account: escrowAccount(organizationId), micro: -reservedMicro, outcome: ended }, ...credits],
  });
  if (booked === "repeated") throw new Error(`job ${jobId} was already paid or released`);
}
