import type { Infer } from "convex/values";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import type { Owner } from "../owners.ts";
import type { amountsByKind } from "../validators/credits.ts";
import type { outcome } from "../validators/requests.ts";

/**
 * Kinds of account:
 * - issuance, bonus, cover, check: they create credits, so their balances are negative. Cover pays for answers that cost more than
 *   their key had, and for devices that a wrong answer outran. Check pays for replays and canaries.
 * - key, escrow, device: keys spend credits, escrow holds them for open jobs, devices earn them.
 * - held: the pay of a device until its answers are checked.
 * - wallet: what a member or a team received, or earned with former devices.
 * - grant: what administrators and allowances gave a member or a team, and nobody has used.
 * - payout, house: payouts that nobody has decided, and what was paid out or expired.
 */
export type AccountKind = keyof Infer<typeof amountsByKind>;

export const noAmounts: Readonly<Record<AccountKind, bigint>> = {
  issuance: 0n,
  key: 0n,
  escrow: 0n,
  device: 0n,
  wallet: 0n,
  grant: 0n,
  payout: 0n,
  house: 0n,
  bonus: 0n,
  held: 0n,
  check: 0n,
  cover: 0n,
};

export const accountKinds = Object.keys(noAmounts) as readonly AccountKind[];

/** The most entries of a transfer. The projector adds whole transfers. */
export const mostEntries = 400;

export const issuanceAccount = (organizationId: Id<"organizations">): string => `issuance:${organizationId}`;
export const keyAccount = (apiKeyId: Id<"apiKeys">): string => `key:${apiKeyId}`;
export const escrowAccount = (organizationId: Id<"organizations">): string => `escrow:${organizationId}`;
export const walletAccount = (owner: Owner): string => `wallet:${owner}`;
export const grantAccount = (owner: Owner): string => `grant:${owner}`;
export const payoutAccount = (organizationId: Id<"organizations">): string => `payout:${organizationId}`;
export const houseAccount = (organizationId: Id<"organizations">): string => `house:${organizationId}`;
export const bonusAccount = (organizationId: Id<"organizations">): string => `bonus:${organizationId}`;
export const checkAccount = (organizationId: Id<"organizations">): string => `check:${organizationId}`;
/** Pay of a device that waits for checks of its answers. */
export const heldAccount = (deviceId: Id<"devices">): string => `held:${deviceId}`;
export const coverAccount = (organizationId: Id<"organizations">): string => `cover:${organizationId}`;
export const deviceAccount = (deviceId: Id<"devices">): string => `device:${deviceId}`;

/** The id of the device whose account this is; null for another account. */
export function deviceOfAccount(account: string): string | null {
  return kindOf(account) === "device" ? account.slice("device:".length) : null;
}

/** The same, also if the account has its held pay. */
export function deviceOfPay(account: string): string | null {
  return kindOf(account) === "held" ? account.slice("held:".length) : deviceOfAccount(account);
}

/** The same of a key. */
export function keyOfAccount(account: string): string | null {
  return kindOf(account) === "key" ? account.slice("key:".length) : null;
}

/** The kind that an account's name begins with. */
export function kindOf(account: string): AccountKind {
  const kind = accountKinds.find((candidate) => account.startsWith(`${candidate}:`));
  if (kind === undefined) throw new Error(`not an account: ${account}`);
  return kind;
}

type Transfer = {
  /** A second transfer under the same key changes nothing. */
  readonly key: string;
  readonly organizationId: Id<"organizations">;
  readonly kind: Doc<"ledgerEntries">["kind"];
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly jobId?: string;
  /** Of the job's price. */
  readonly priceVersion?: string | undefined;
  readonly entries: readonly Entry[];
};

export type Entry = {
  readonly account: string;
  readonly micro: bigint;
  /** Jobs that the entry pays for; 0 by default. */
  readonly jobs?: number;
  /** How the job ended; only on the entry that closes a reservation. */
  readonly outcome?: Infer<typeof outcome>;
  /** The start of the month (UTC) in which the credits were earned, if it is not that of the transfer. */
  readonly earnedAt?: number;
  /** The part of a device's pay that bonus hours added. */
  readonly bonusMicro?: bigint;
  /** To whom the device belongs that is paid; null: to nobody. */
  readonly owner?: Owner | null;
  /** Whether a debit of a device takes pay back, rather than moving it elsewhere. */
  readonly takenBack?: boolean;
  /** Whether the debit of a key is one that `hold` has noted. */
  readonly held?: boolean;
  /** The addition of a key's job to the use of its day. `at`: the time of its submission. */
  readonly counts?: { readonly at: number; readonly requests: number; readonly tokens: number };
};

/**
 * Appends a transfer's entries, which must sum to zero. It reads only entries of its own key, so two transfers never
 * contend for a balance. The projector adds them to `accounts` later.
 */
export async function transfer(ctx: MutationCtx, booking: Transfer): Promise<"booked" | "repeated"> {
  const sum = booking.entries.reduce((total, entry) => total + entry.micro, 0n);
  if (booking.entries.length > mostEntries) throw new Error(`transfer ${booking.key} has too many entries`);
  if (sum !== 0n) throw new Error(`transfer ${booking.key} is off by ${String(sum)}`);
  const earlier = await ctx.db
    .query("ledgerEntries")
    .withIndex("by_transfer", (q) => q.eq("transferKey", booking.key))
    .first();
  if (earlier !== null) return "repeated";
  const { organizationId, kind, at, jobId, priceVersion, key: transferKey } = booking;
  const ofJob = {
    ...(jobId === undefined ? {} : { jobId }),
    ...(priceVersion === undefined ? {} : { priceVersion }),
  };
  for (const { account, micro, jobs = 0, ...rest } of booking.entries) {
    const entry = { organizationId, transferKey, account, micro, at };
    await ctx.db.insert("ledgerEntries", { ...entry, kind, ...ofJob });
    await ctx.db.insert("ledgerPending", {
      ...entry,
      jobs,
      ...rest,
      ...(kind === "reserve" ? { reserves: true } : {}),
    });
  }
  return "booked";
}
