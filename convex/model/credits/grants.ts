import type { KeyMoveSource, PaidPeriod } from "../../../app/credits/key-moves.ts";
import { formatExactCredits, microPerCredit } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { grantAccount, issuanceAccount, keyAccount } from "../ledger/transfer.ts";
import { boundedText, refuse } from "../refuse.ts";
import { checkMayGetCredits, checkTakeable, type Holder } from "./holders.ts";
import { noteKeyMove } from "./keyStatement.ts";
import { book, grantedTo, noteMove } from "./wallet.ts";

/** The most credits that are given at once: a billion. */
export const maxCreditsMicro = 1_000_000_000n * microPerCredit;
export const maxReasonChars = 200;

/**
 * Gives credits to a holder, or takes some back if `micro` is negative. Credits that jobs of a key hold cannot be taken, and of a member or a
 * team only those that they were given and have not used. Refuses: invalid, revoked, conflict (there are fewer credits).
 * @param author the member who does it.
 */
export async function changeCredits(
  ctx: MutationCtx,
  holder: Holder,
  { micro, reason }: { readonly micro: bigint; readonly reason: string },
  author: Id<"members">,
  by: Act,
): Promise<void> {
  checkMayGetCredits(holder);
  if (micro === 0n || micro > maxCreditsMicro || micro < -maxCreditsMicro) {
    refuse("invalid", "Give or take more than 0 credits, and at most a billion.");
  }
  const why = boundedText(reason.trim(), "The reason", maxReasonChars);
  if (micro < 0n) await checkTakeable(ctx, holder, -micro);
  await giveOrTake(ctx, holder, { micro, why }, author, by);
}

/**
 * Takes back all that a member was given and has not used. Call it when the member leaves: nobody could use or take these credits later.
 * @param author the member who removes them.
 */
export async function takeBackUnused(
  ctx: MutationCtx,
  row: Doc<"members">,
  author: Id<"members">,
  by: Act,
): Promise<void> {
  const unused = await grantedTo(ctx, row._id);
  if (unused <= 0n) return;
  const change = { micro: -unused, why: "Removed from the organization" };
  await giveOrTake(ctx, { table: "members", row }, change, author, by);
}

async function giveOrTake(
  ctx: MutationCtx,
  holder: Holder,
  { micro, why }: { readonly micro: bigint; readonly why: string },
  author: Id<"members">,
  by: Act,
): Promise<void> {
  const { _id: subject, organizationId } = holder.row;
  await issueTo(ctx, holder, {
    key: `credits:${subject}:${crypto.randomUUID()}`,
    kind: micro > 0n ? "granted" : "taken-back",
    author,
    micro,
    at: by.at,
    note: why,
  });
  const change = `${formatExactCredits(micro > 0n ? micro : -micro)} ${micro > 0n ? "given" : "taken"}`;
  const detail = `${change}: ${why}`;
  const action = holder.table === "apiKeys" ? "api-key.credits-changed" : "credits.changed";
  await record(ctx, { organizationId, ...by, action, subject, detail });
}

type Issue = {
  /** The transfer's key. */
  readonly key: string;
  readonly organizationId: Id<"organizations">;
  readonly micro: bigint;
  readonly at: number;
  /** The job whose price is given back. */
  readonly jobId?: string;
};

type KeyIssue = Issue & {
  readonly apiKeyId: Id<"apiKeys">;
  /** Their source, and a person's reason, for the key's statement. */
  readonly source?: KeyMoveSource;
  readonly note?: string;
};

/** Moves credits from the issuance account to a key, which can spend them at once. A second transfer with the same key changes nothing. */
export async function issueCredits(
  ctx: MutationCtx,
  { apiKeyId, source, note, ...issue }: KeyIssue,
): ReturnType<typeof book> {
  const booked = await bookIssue(ctx, keyAccount(apiKeyId), issue);
  if (booked === "repeated") return booked;
  const { at, micro } = issue;
  await noteKeyMove(ctx, {
    apiKeyId,
    at,
    micro,
    ...(source === undefined ? {} : { source }),
    ...(note === undefined ? {} : { note }),
  });
  return booked;
}

type HolderIssue = Omit<Issue, "organizationId" | "jobId"> & {
  readonly kind: Extract<Doc<"creditMoves">["kind"], "granted" | "taken-back" | "allowance">;
  readonly author: Id<"members">;
  /** Of an allowance. */
  readonly period?: PaidPeriod;
  readonly note: string;
};

/**
 * Moves credits from the issuance account to any holder. The statement of a member or a team names the author; that of a key has only
 * the period and the note.
 */
export async function issueTo(
  ctx: MutationCtx,
  { table, row }: Holder,
  { kind, author, period, note, ...given }: HolderIssue,
): ReturnType<typeof book> {
  const { organizationId } = row;
  const issue = { ...given, organizationId };
  if (table === "apiKeys") {
    const source = period === undefined ? {} : { source: { kind: "allowance" as const, ...period } };
    return await issueCredits(ctx, { ...issue, apiKeyId: row._id, ...source, note });
  }
  const booked = await bookIssue(ctx, grantAccount(row._id), issue);
  if (booked === "repeated") return booked;
  const { micro, at } = given;
  await noteMove(ctx, organizationId, {
    owner: row._id,
    kind,
    micro,
    at,
    other: author,
    ...(period === undefined ? {} : { period }),
    note,
  });
  return booked;
}

async function bookIssue(
  ctx: MutationCtx,
  account: string,
  { micro, ...issue }: Issue,
): ReturnType<typeof book> {
  const entries = [
    { account: issuanceAccount(issue.organizationId), micro: -micro },
    { account, micro },
  ];
  return await book(ctx, { ...issue, kind: "issue", entries });
}
