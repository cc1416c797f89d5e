import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { allowanceKinds, allowancePeriods } from "../../../app/money/allowance.ts";
import { price } from "./prices.ts";

/** To whom administrators and allowances give credits. */
export const creditHolder = v.union(v.id("apiKeys"), v.id("members"), v.id("teams"));

/** Credits that a holder gets at the start of each period: app/money/allowance.ts. */
export const allowanceTerms = v.object({
  every: literals(...allowancePeriods),
  kind: literals(...allowanceKinds),
  micro: v.int64(),
});

/** An allowance as it is stored: who set it and why, and the start of the next period; ms epoch. */
export const allowance = v.object({
  ...allowanceTerms.fields,
  reason: v.string(),
  memberId: v.id("members"),
  setAt: v.number(),
  dueAt: v.number(),
});

/** The jobs of a key with one price: app/credits/key-statement.ts. */
export const keyCharge = v.object({
  modelId: v.string(),
  priceVersion: v.string(),
  ...price.fields,
  percent: v.number(),
  jobs: v.number(),
  promptTokens: v.number(),
  completionTokens: v.number(),
  micro: v.int64(),
  coveredMicro: v.int64(),
});

/** The period for which an allowance gave credits: app/credits/key-moves.ts. */
export const paidPeriod = v.object({ every: literals(...allowancePeriods), start: v.number() });

/** The source of the credits of a key's move. An administrator's move has none. */
export const keyMoveSource = v.union(
  v.object({ kind: literals("earned", "given", "given-and-earned", "canaries", "given-back", "refund") }),
  v.object({ kind: v.literal("allowance"), ...paidPeriod.fields }),
);

/** The jobs of a key without a charge: of own devices, and without an answer. */
export const keyFree = v.object({
  own: v.number(),
  failed: v.number(),
  canceled: v.number(),
  expired: v.number(),
});

/** Micro-credits by kind of account. */
export const amountsByKind = v.object({
  issuance: v.int64(),
  key: v.int64(),
  escrow: v.int64(),
  device: v.int64(),
  // Absent in rows of earlier versions.
  wallet: v.optional(v.int64()),
  grant: v.optional(v.int64()),
  payout: v.optional(v.int64()),
  house: v.optional(v.int64()),
  bonus: v.optional(v.int64()),
  held: v.optional(v.int64()),
  check: v.optional(v.int64()),
  cover: v.optional(v.int64()),
});

/** Credits that an account earned in one month (UTC), which `startAt` begins. */
export const lot = v.object({ startAt: v.number(), micro: v.int64() });

/** The credits that a device earned in one month (UTC). `bonusMicro`: the part of `micro` that is a bonus. */
export const earnedOfDevice = v.object({
  /** Absent: all other devices. */
  deviceId: v.optional(v.id("devices")),
  jobs: v.number(),
  micro: v.int64(),
  bonusMicro: v.int64(),
});

/** Hours of a day of the week in which answers earn more. `day`: 0 is Sunday. */
export const bonusHours = v.object({ day: v.number(), from: v.number(), to: v.number() });

/** An organization's rules for the credits that members earned. */
export const houseRules = v.object({
  /** Null: they never expire. */
  expireMonths: v.union(v.number(), v.null()),
  /** Null: no hour earns more. */
  bonus: v.union(
    v.object({ percent: v.number(), capMicro: v.int64(), hours: v.array(bonusHours) }),
    v.null(),
  ),
  /** The money for a credit, in millionths of the currency. Null: credits are not paid out. */
  payout: v.union(v.object({ currency: v.string(), perCreditMicro: v.int64() }), v.null()),
});

export const creditMoveKind = literals(
  "to-key",
  "given",
  "received",
  "payout-asked",
  "payout-returned",
  "expired",
  "granted",
  "taken-back",
  "allowance",
);

export const payoutState = literals("asked", "approved", "refused", "withdrawn");
