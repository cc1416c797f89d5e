import { expiredLots } from "../../../app/credits/house-rules.ts";
import { sumOfLots } from "../../../app/credits/lots.ts";
import { formatExactCredits } from "../../../app/money/credits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { lotsOf } from "../ledger/balance.ts";
import { deviceOfAccount, houseAccount, kindOf } from "../ledger/transfer.ts";
import type { Owner } from "../owners.ts";
import { expiryRule } from "./houseRules.ts";
import { book, noteMove, takingEntries } from "./wallet.ts";

const accountsPerPage = 100;

/**
 * Moves credits that have expired to the house, on a page of the organization's accounts. A run may be repeated.
 * @returns the cursor of the next page; null after the last one, and without such a rule.
 */
export async function expirePage(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  cursor: string | null,
  now: number,
): Promise<string | null> {
  const rule = await expiryRule(ctx, organizationId);
  if (rule === null) return null;
  const { page, isDone, continueCursor } = await ctx.db
    .query("accounts")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .paginate({ numItems: accountsPerPage, cursor });
  for (const row of page) {
    const kind = kindOf(row.account);
    if (kind !== "device" && kind !== "wallet") continue;
    const lots = expiredLots(lotsOf(row), rule, now);
    if (lots.length > 0) await expire(ctx, row, lots, now);
  }
  return isDone ? null : continueCursor;
}

async function expire(
  ctx: MutationCtx,
  { organizationId, account }: Doc<"accounts">,
  lots: ReturnType<typeof expiredLots>,
  at: number,
): Promise<void> {
  const micro = sumOfLots(lots);
  await book(ctx, {
    key: `expire:${account}:${String(at)}`,
    organizationId,
    kind: "expire",
    at,
    entries: [
      ...takingEntries(lots.map((lot) => ({ account, ...lot }))),
      { account: houseAccount(organizationId), micro },
    ],
  });
  const owner = await ownerOf(ctx, account);
  if (owner === null) return;
  await noteMove(ctx, organizationId, { owner, kind: "expired", micro: -micro, at });
  const detail = formatExactCredits(micro);
  await record(ctx, {
    organizationId,
    actor: "system",
    at,
    action: "credits.expired",
    subject: owner,
    detail,
  });
}

/** The owner of a wallet or a device; null: nobody. */
async function ownerOf(ctx: MutationCtx, account: string): Promise<Owner | null> {
  const deviceId = ctx.db.normalizeId("devices", deviceOfAccount(account) ?? "");
  if (deviceId !== null) return (await ctx.db.get("devices", deviceId))?.owner ?? null;
  const id = account.slice("wallet:".length);
  return ctx.db.normalizeId("members", id) ?? ctx.db.normalizeId("teams", id);
}
