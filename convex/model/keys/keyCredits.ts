import { formatExactCredits, microPerCredit, spellCredits } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { noteKeyMove } from "../credits/keyStatement.ts";
import { availableOf, endPortions } from "../ledger/holds.ts";
import { projectTransfer } from "../ledger/project.ts";
import { issuanceAccount, keyAccount, transfer } from "../ledger/transfer.ts";
import { boundedText, refuse } from "../refuse.ts";

/** The most credits that a key is given at once: a billion. */
export const maxCreditsMicro = 1_000_000_000n * microPerCredit;
export const maxReasonChars = 200;

/**
 * Gives credits to a key, or takes some back if `micro` is negative. Credits that are held for its jobs cannot be taken.
 * Refuses: invalid, revoked, conflict (the key has fewer credits).
 */
export async function changeCredits(
  ctx: MutationCtx,
  key: Doc<"apiKeys">,
  { micro, reason }: { readonly micro: bigint; readonly reason: string },
  by: Act,
): Promise<void> {
  const { _id: apiKeyId, organizationId } = key;
  checkMayGetCredits(key);
  if (micro === 0n || micro > maxCreditsMicro || micro < -maxCreditsMicro) {
    refuse("invalid", "Give or take more than 0 credits, and at most a billion.");
  }
  const why = boundedText(reason.trim(), "The reason", maxReasonChars);
  if (micro < 0n) {
    const available = await availableOf(ctx, apiKeyId);
    if (available + micro < 0n)
      refuse("conflict", `This API key has only ${spellCredits(available)} that no job holds.`);
    await endPortions(ctx, apiKeyId);
  }
  await issueCredits(ctx, {
    key: `credits:${apiKeyId}:${crypto.randomUUID()}`,
    organizationId,
    apiKeyId,
    micro,
    at: by.at,
    note: why,
  });
  const change = `${formatExactCredits(micro > 0n ? micro : -micro)} ${micro > 0n ? "given" : "taken"}`;
  const detail = `${change}: ${why}`;
  await record(ctx, { organizationId, ...by, action: "api-key.credits-changed", subject: apiKeyId, detail });
}

/** Refuses a key whose credits nobody gives by hand: revoked, invalid (a key of the playground). */
export function checkMayGetCredits({ revokedAt, playgroundUntil }: Doc<"apiKeys">): void {
  if (revokedAt !== undefined)
    refuse("revoked", "This API key was revoked, so its credits stay as they are.");
  if (playgroundUntil !== undefined)
    refuse("invalid", "The credits of the console's own keys are set on the page Playground.");
}

type Issue = {
  /** The transfer's key. */
  readonly key: string;
  readonly organizationId: Id<"organizations">;
  readonly apiKeyId: Id<"apiKeys">;
  readonly micro: bigint;
  readonly at: number;
  /** The job whose price is given back. */
  readonly jobId?: string;
  /** The reason, for the key's statement. */
  readonly note?: string;
};

/**
 * Moves credits from the issuance account. They are projected at once, so the key can spend them at once. A second transfer with the
 * same key changes nothing.
 */
export async function issueCredits(
  ctx: MutationCtx,
  { apiKeyId, micro, note, ...issue }: Issue,
): ReturnType<typeof transfer> {
  const booked = await transfer(ctx, {
    ...issue,
    kind: "issue",
    entries: [
      { account: issuanceAccount(issue.organizationId), micro: -micro },
      { account: keyAccount(apiKeyId), micro },
    ],
  });
  if (booked === "repeated") return booked;
  await projectTransfer(ctx, issue.key);
  const { at } = issue;
  await noteKeyMove(ctx, { apiKeyId, at, micro, ...(note === undefined ? {} : { note }) });
  return booked;
}
