import { limits } from "../../../app/jobs/limits.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { checkedHash } from "../keys/hash.ts";
import { boundedInteger, boundedText, refuse } from "../refuse.ts";

const maxUses = 100_000;
const maxHours = 24 * 366;

/** Admits up to `uses` devices within `expiresInHours` hours. Only the code's hash is known here. */
export async function createCode(
  ctx: MutationCtx,
  code: {
    readonly organizationId: Id<"organizations">;
    readonly codeHash: string;
    readonly label: string;
    readonly uses: number;
    readonly expiresInHours: number;
  },
  actor: "admin" | "setup",
  now: number,
): Promise<Id<"enrolmentCodes">> {
  const codeHash = checkedHash(code.codeHash, "codeHash");
  const earlier = await ctx.db
    .query("enrolmentCodes")
    .withIndex("by_hash", (q) => q.eq("codeHash", codeHash))
    .unique();
  if (earlier !== null) refuse("conflict", "This enrolment code exists already.");
  const codeId = await ctx.db.insert("enrolmentCodes", {
    organizationId: code.organizationId,
    codeHash,
    label: boundedText(code.label, "The label", limits.nameChars),
    uses: boundedInteger(code.uses, "uses", 1, maxUses),
    used: 0,
    createdAt: now,
    expiresAt: now + boundedInteger(code.expiresInHours, "expiresInHours", 1, maxHours) * 3_600_000,
  });
  const { organizationId } = code;
  await record(ctx, { organizationId, at: now, actor, action: "enrolment-code.created", subject: codeId });
  return codeId;
}
