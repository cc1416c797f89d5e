import { type Infer, type ObjectType, v } from "convex/values";
import { confirmedForMs, defaultCode } from "../../../app/enrollment.ts";
import { visibleText } from "../../../app/format/visible.ts";
import { limits } from "../../../app/jobs/limits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { type Act, record } from "../audit.ts";
import { checkedOwner, ownerName, ownerView } from "../owners.ts";
import { countConfirmedDevice } from "../rates.ts";
import { boundedInteger, boundedText, checkedHash, refuse } from "../refuse.ts";
import { owner } from "../validators/people.ts";

const maxUses = 100_000;
const maxHours = 24 * 366;

/** Arguments that describe a new code: it admits `uses` devices (1) within `expiresInHours` hours (24). */
export const newCode = {
  codeHash: v.string(),
  label: v.string(),
  uses: v.optional(v.number()),
  expiresInHours: v.optional(v.number()),
  /** Whether an admin must approve each of its devices. */
  needsApproval: v.optional(v.boolean()),
  /** To whom its devices belong. Left out: to the organization. */
  owner: v.optional(owner),
};

/** Creates an enrollment code. Only its hash is known here. Refuses: invalid, not_found (the owner), conflict (the code exists). */
export async function createCode(
  ctx: MutationCtx,
  code: ObjectType<typeof newCode> & { readonly organizationId: Id<"organizations"> },
  by: Act,
): Promise<Id<"enrolmentCodes">> {
  const { organizationId, uses = defaultCode.uses, expiresInHours = defaultCode.expiresInHours } = code;
  const codeHash = checkedHash(code.codeHash, "codeHash");
  const earlier = await codeByHash(ctx, codeHash);
  if (earlier !== null) refuse("conflict", "This enrollment code exists already.");
  const codeId = await ctx.db.insert("enrolmentCodes", {
    organizationId,
    codeHash,
    label: boundedText(code.label, "The label", limits.nameChars),
    uses: boundedInteger(uses, "uses", 1, maxUses),
    used: 0,
    createdAt: by.at,
    expiresAt: by.at + boundedInteger(expiresInHours, "expiresInHours", 1, maxHours) * 3_600_000,
    ...(code.owner === undefined ? {} : { owner: await checkedOwner(ctx, organizationId, code.owner) }),
    ...(code.needsApproval === true ? { needsApproval: true } : {}),
  });
  await record(ctx, { organizationId, ...by, action: "enrolment-code.created", subject: codeId });
  return codeId;
}

/** Arguments of a member's confirmation: the hash of the code that the computer made, and its name. */
export const confirmedDevice = { codeHash: v.string(), device: v.string() };

/**
 * Confirms a computer of a member: the code that it made admits it once, within ten minutes, and it belongs to the member.
 * Confirming it again changes nothing. Refuses: invalid, conflict (the code was used or has expired), rate_limited.
 */
export async function confirmDevice(
  ctx: MutationCtx,
  { organizationId, _id: owner }: Doc<"members">,
  { codeHash: given, device }: ObjectType<typeof confirmedDevice>,
  by: Act,
): Promise<void> {
  const codeHash = checkedHash(given, "codeHash");
  const earlier = await codeByHash(ctx, codeHash);
  if (earlier !== null) {
    const isOpen = earlier.used === 0 && earlier.revokedAt === undefined && earlier.expiresAt > by.at;
    const isOwn = earlier.bySignIn === true && earlier.owner === owner;
    if (isOwn && isOpen) return;
    if (isOwn && earlier.used > 0) refuse("conflict", "This computer has joined. You can close this page.");
    refuse("conflict", "This computer was confirmed before. Start the sign-in again in Gleaner’s window.");
  }
  await countConfirmedDevice(ctx, owner);
  const label = boundedText(device, "The device's name", limits.nameChars);
  const codeId = await ctx.db.insert("enrolmentCodes", {
    organizationId,
    codeHash,
    label,
    uses: 1,
    used: 0,
    createdAt: by.at,
    expiresAt: by.at + confirmedForMs,
    owner,
    bySignIn: true,
  });
  const detail = `For the computer ${label}, which belongs to the member`;
  await record(ctx, { organizationId, ...by, action: "enrolment-code.created", subject: codeId, detail });
}

/**
 * Whether a member has confirmed the computer that made the code with this hash. Says nothing about codes that people make: they are
 * short enough to guess. Refuses: invalid.
 */
export async function isConfirmed(ctx: QueryCtx, codeHash: string): Promise<boolean> {
  return (await codeByHash(ctx, checkedHash(codeHash, "codeHash")))?.bySignIn === true;
}

/** The code with this hash. */
export async function codeByHash(ctx: QueryCtx, codeHash: string): Promise<Doc<"enrolmentCodes"> | null> {
  return await ctx.db
    .query("enrolmentCodes")
    .withIndex("by_hash", (q) => q.eq("codeHash", codeHash))
    .unique();
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
  needsApproval: v.boolean(),
  owner: ownerName,
});

/** Revokes a code. Devices that it admitted stay. False if it is revoked already. */
export async function revokeCode(ctx: MutationCtx, code: Doc<"enrolmentCodes">, by: Act): Promise<boolean> {
  if (code.revokedAt !== undefined) return false;
  const { _id: subject, organizationId } = code;
  await ctx.db.patch("enrolmentCodes", subject, { revokedAt: by.at });
  await record(ctx, { organizationId, ...by, action: "enrolment-code.revoked", subject });
  return true;
}

/**
 * Ends the confirmation of a computer, whose code only that computer knows. One that was used or has expired is only marked: the
 * audit trail has nothing to tell of it.
 */
export async function endConfirmation(ctx: MutationCtx, code: Doc<"enrolmentCodes">, by: Act): Promise<void> {
  if (code.used === 0 && code.expiresAt > by.at) await revokeCode(ctx, code, by);
  else await ctx.db.patch("enrolmentCodes", code._id, { revokedAt: by.at });
}

/** Undoes the revocation of a code, if it was revoked at that time. */
export async function reopenCode(
  ctx: MutationCtx,
  code: Doc<"enrolmentCodes">,
  revokedAt: number | undefined,
  by: Act,
): Promise<void> {
  if (revokedAt === undefined || code.revokedAt !== revokedAt) return;
  const { _id: subject, organizationId } = code;
  await ctx.db.patch("enrolmentCodes", subject, { revokedAt: undefined });
  await record(ctx, { organizationId, ...by, action: "enrolment-code.reopened", subject });
}

/** The enrollment codes that people of an organization made, newest first. */
export async function codeRows(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof codeRow>[]> {
  const rows = await ctx.db
    .query("enrolmentCodes")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId).eq("bySignIn", undefined))
    .order("desc")
    .take(maxListed);
  return await Promise.all(
    rows.map(async (code) => ({
      codeId: code._id,
      label: visibleText(code.label),
      uses: code.uses,
      used: code.used,
      createdAt: code.createdAt,
      expiresAt: code.expiresAt,
      revokedAt: code.revokedAt ?? null,
      needsApproval: code.needsApproval ?? false,
      owner: await ownerView(ctx, code.owner),
    })),
  );
}

const keptMs = 90 * 24 * 3_600_000;
const deletedAtOnce = 200;

/**
 * Deletes codes whose time was over 90 days ago, used or not. Their devices stay, and name no code anymore.
 * @returns whether there may be more.
 */
export async function deleteOldCodes(ctx: MutationCtx, now: number): Promise<boolean> {
  const old = await ctx.db
    .query("enrolmentCodes")
    .withIndex("by_end", (q) => q.lt("expiresAt", now - keptMs))
    .take(deletedAtOnce);
  for (const { _id } of old) await ctx.db.delete("enrolmentCodes", _id);
  return old.length === deletedAtOnce;
}
