import { canaryLimits } from "../../../../app/trust/canaries.ts";
import type { Doc, Id } from "../../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../../_generated/server.js";
import { type Act, record } from "../../audit.ts";
import { hashSecret } from "../../authenticate.ts";
import { rulesRow } from "../../credits/houseRules.ts";
import { noteKeyMove } from "../../credits/keyStatement.ts";
import { createKey } from "../../keys/apiKeys.ts";
import { availableOf } from "../../ledger/holds.ts";
import { checkAccount, keyAccount, transfer } from "../../ledger/transfer.ts";
import { boundedText, present, refuse } from "../../refuse.ts";
import { patchRules } from "../mode.ts";

/** The organization's own prompts of canaries. If there are none, the built-in ones are used. */
export async function canaryPromptsOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<readonly string[]> {
  return (await rulesRow(ctx, organizationId))?.canaries ?? [];
}

/** Replaces them. The audit trail has their number and no text. Refuses: invalid. */
export async function setCanaryPrompts(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  wanted: readonly string[],
  by: Act,
): Promise<void> {
  if (wanted.length > canaryLimits.prompts)
    refuse("invalid", `There are at most ${String(canaryLimits.prompts)} prompts.`);
  const prompts = wanted.map((prompt) => boundedText(prompt, "A prompt", canaryLimits.promptChars));
  const before = await canaryPromptsOf(ctx, organizationId);
  if (JSON.stringify(before) === JSON.stringify(prompts)) return;
  await patchRules(ctx, organizationId, { canaries: prompts }, by.at);
  await record(ctx, {
    organizationId,
    ...by,
    action: "checks.canaries-changed",
    subject: organizationId,
    detail: `own prompts: ${String(before.length)} → ${String(prompts.length)}`,
  });
}

/** The key that asks canaries. Nobody knows its secret. If it was revoked, there is a new one. */
export async function canaryKeyOf(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  at: number,
): Promise<Doc<"apiKeys">> {
  const id = (await rulesRow(ctx, organizationId))?.canaryKey;
  const known = id === undefined ? null : await ctx.db.get("apiKeys", id);
  if (known !== null && known.revokedAt === undefined) return known;
  const keyHash = await hashSecret(crypto.randomUUID() + crypto.randomUUID());
  const key = { organizationId, keyHash, prefix: "canaries", name: "Canaries", creditsMicro: 0n };
  const canaryKey = await createKey(ctx, key, { actor: "system", at });
  await patchRules(ctx, organizationId, { canaryKey }, at);
  return present(await ctx.db.get("apiKeys", canaryKey), "key of canaries");
}

/** Gives the key of canaries the credits that it lacks. The organization pays them with new credits, as it does checks. */
export async function payForCanary(
  ctx: MutationCtx,
  { _id: apiKeyId, organizationId }: Doc<"apiKeys">,
  { jobId, micro, at }: { readonly jobId: string; readonly micro: bigint; readonly at: number },
): Promise<void> {
  const missing = micro - (await availableOf(ctx, apiKeyId));
  if (missing <= 0n) return;
  await transfer(ctx, {
    key: `canary:${jobId}`,
    organizationId,
    kind: "move",
    at,
    entries: [
      { account: keyAccount(apiKeyId), micro: missing },
      { account: checkAccount(organizationId), micro: -missing },
    ],
  });
  await noteKeyMove(ctx, { apiKeyId, at, micro: missing, source: { kind: "canaries" } });
}
