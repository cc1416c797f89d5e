import { type Infer, type ObjectType, v } from "convex/values";
import type { AuditActor } from "../../../app/audit.ts";
import { limits } from "../../../app/jobs/limits.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { boundedInteger, boundedText, checkedHash, refuse } from "../refuse.ts";

const maxUses = 100_000;
const maxHours = 24 * 366;

/** Arguments that describe a new code: it admits `uses` devices within `expiresInHours` hours. */
export const newCode = {
  codeHash: v.string(),
  label: v.string(),
  uses: v.number(),
  expiresInHours: v.number(),
};

/** Creates an enrollment code. Only its hash is known here. Refuses: invalid, conflict (the code exists). */
export async function createCode(
  ctx: MutationCtx,
  code: ObjectType<typeof newCode> & { readonly organizationId: Id<"organizations"> },
  actor: AuditActor,
  now: number,
): Promise<Id<"enrolmentCodes">> {
  const { organizationId } = code;
  const codeHash = checkedHash(code.codeHash, "codeHash");
  const earlier = await ctx.db
    .query("enrolmentCodes")
    .withIndex("by_hash", (q) => q.eq("codeHash", codeHash))
    .unique();
  if (earlier !== null) refuse("conflict", "This enrollment code exists already.");
  const codeId = await ctx.db.insert("enrolmentCodes", {
    organizationId,
    codeHash,
    label: boundedText(code.label, "The label", limits.nameChars),
    uses: boundedInteger(code.uses, "uses", 1, maxUses),
    used: 0,
    createdAt: now,
    expiresAt: now + boundedInteger(code.expiresInHours, "expiresInHours", 1, maxHours) * 3_600_000,
  });
  await record(ctx, { organizationId, at: now, actor, action: "enrolment-code.created", subject: codeId });
  return codeId;
}

/**
 * Turns a typed code into the text that was hashed: upper case, no blanks. The random part uses Crockford's alphabet, so
 * I and L become 1 there, and O becomes 0.
 */
export function normalizeCode(typed: string): string {
  const plain = typed.replace(/\s+/g, "").toUpperCase();
  if (!plain.startsWith("GLN-")) return plain;
  return `GLN-${plain.slice(4).replace(/[IL]/g, "1").replace(/O/g, "0")}`;
}

const maxListed = 200;

export const codeRow = v.object({
  codeId: v.id("enrolmentCodes"),
  label: v.string(),
  uses: v.number(),
  used: v.number(),
  createdAt: v.number(),
  expiresAt: v.number(),
  revokedAt: v.union(v.number(), v.null()),
});

/** An organization's enrollment codes, newest first. */
export async function codeRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof codeRow>[]> {
  const rows = await ctx.db
    .query("enrolmentCodes")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .order("desc")
    .take(maxListed);
  return rows.map(({ _id, label, uses, used, createdAt, expiresAt, revokedAt }) => ({
    codeId: _id,
    label,
    uses,
    used,
    createdAt,
    expiresAt,
    revokedAt: revokedAt ?? null,
  }));
}
