import { limits } from "../../../app/jobs/limits.ts";
import { microPerCredit } from "../../../app/money/credits.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { issuanceOf, keyAccount } from "../ledger/accounts.ts";
import { projectTransfer } from "../ledger/project.ts";
import { transfer } from "../ledger/transfer.ts";
import { boundedText, refuse } from "../refuse.ts";
import { checkedHash } from "../keys/hash.ts";

/** What a new key may spend when nobody says otherwise. */
export const defaultCreditsMicro = 1_000n * microPerCredit;

const maxCreditsMicro = 1_000_000_000n * microPerCredit;
const maxPrefixChars = 32;

/** Makes an API key from its hash and issues it credits. */
export async function createKey(
  ctx: MutationCtx,
  key: {
    readonly organizationId: Id<"organizations">;
    readonly keyHash: string;
    readonly name: string;
    readonly prefix: string;
    readonly creditsMicro?: bigint;
    /** Of all its jobs. */
    readonly dataClass?: string;
  },
  actor: "admin" | "setup",
  now: number,
): Promise<Id<"apiKeys">> {
  const { organizationId, creditsMicro = defaultCreditsMicro } = key;
  const keyHash = checkedHash(key.keyHash, "keyHash");
  if (creditsMicro < 0n || creditsMicro > maxCreditsMicro)
    refuse("invalid", "creditsMicro is out of bounds.");
  const earlier = await ctx.db
    .query("apiKeys")
    .withIndex("by_hash", (q) => q.eq("keyHash", keyHash))
    .unique();
  if (earlier !== null) refuse("conflict", "This API key exists already.");
  const apiKeyId = await ctx.db.insert("apiKeys", {
    organizationId,
    keyHash,
    name: boundedText(key.name, "The key's name", limits.nameChars),
    prefix: boundedText(key.prefix, "prefix", maxPrefixChars),
    createdAt: now,
    ...(key.dataClass === undefined
      ? {}
      : { dataClass: boundedText(key.dataClass, "The data class", limits.nameChars) }),
  });
  await issue(ctx, organizationId, apiKeyId, creditsMicro, now);
  await record(ctx, { organizationId, at: now, actor, action: "api-key.created", subject: apiKeyId });
  return apiKeyId;
}

/** Credits come from the issuance account. Folded here and now, so that the new key can be used at once. */
async function issue(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  apiKeyId: Id<"apiKeys">,
  micro: bigint,
  now: number,
): Promise<void> {
  await transfer(ctx, {
    key: `issue:${apiKeyId}`,
    organizationId,
    kind: "issue",
    at: now,
    entries: [
      { account: issuanceOf(organizationId), micro: -micro },
      { account: keyAccount(apiKeyId), micro },
    ],
  });
  await projectTransfer(ctx, `issue:${apiKeyId}`);
}
