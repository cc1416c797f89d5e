import { type Infer, v } from "convex/values";
import {
  catalogStatement,
  type Handover,
  handoverStatement,
  maxHandovers,
  piecesText,
} from "../../../app/signatures/catalog.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { hashSecret as sha256 } from "../authenticate.ts";
import { refuse } from "../refuse.ts";
import { isSignedBy } from "../signatures.ts";
import { allModels, offered, piecesOf } from "./catalog.ts";
import { type OrganizationKey, organizationKey } from "./organizationKey.ts";

export const catalogSignature = v.object({
  publicKey: v.string(),
  version: v.number(),
  signature: v.string(),
  handovers: v.array(v.object({ from: v.string(), to: v.string(), signature: v.string() })),
});

type SignatureRow = Doc<"catalogSignatures">;

async function rowOf(ctx: QueryCtx, organizationId: Id<"organizations">): Promise<SignatureRow | null> {
  return await ctx.db
    .query("catalogSignatures")
    .withIndex("by_organization", (q) => q.eq("organizationId", organizationId))
    .unique();
}

/** The signature of the organization's catalog; null if the deployment has never had a signing key. */
export async function signatureOf(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<Infer<typeof catalogSignature> | null> {
  const row = await rowOf(ctx, organizationId);
  if (row === null) return null;
  const { publicKey, version, signature, handovers } = row;
  return { publicKey, version, signature, handovers };
}

/**
 * Changes the catalog and signs it. Refuses (conflict) a change if the catalog is signed and the deployment does not have
 * that key now, or if somebody changed the catalog in the database: signing would make that change trusted.
 */
export async function changeCatalog(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  now: number,
  change: () => Promise<void>,
): Promise<void> {
  const [row, key] = await Promise.all([
    rowOf(ctx, organizationId),
    organizationKey(organizationId, "present"),
  ]);
  if (row !== null) await checkSigned(ctx, row, key);
  await change();
  if (key !== null) await sign(ctx, organizationId, row, key, now);
}

async function checkSigned(ctx: QueryCtx, row: SignatureRow, key: OrganizationKey | null): Promise<void> {
  if (key?.publicKey !== row.publicKey) {
    refuse(
      "conflict",
      "The catalog is signed with a key that this backend does not have now, so it cannot be changed. Bring back " +
        "GLEANER_SIGNING_KEY; docs/signatures.md says how.",
    );
  }
  if (!(await isSigned(ctx, row))) {
    refuse(
      "conflict",
      "The models in the database are not those that were signed. Compare them with the audit trail; " +
        "docs/signatures.md says how to sign them anyway.",
    );
  }
}

async function isSigned(ctx: QueryCtx, row: SignatureRow): Promise<boolean> {
  const models = await offeredModels(ctx, row.organizationId);
  const text = catalogStatement(row.organizationId, row.version, models);
  return await isSignedBy(row.publicKey, row.signature, text);
}

async function offeredModels(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
): Promise<ReturnType<typeof offered>[]> {
  return (await allModels(ctx, organizationId)).filter(({ enabled }) => enabled).map(offered);
}

async function sign(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  row: SignatureRow | null,
  key: OrganizationKey,
  now: number,
  handovers: Handover[] = row?.handovers ?? [],
): Promise<void> {
  // A restored backup must not use a version again, so versions follow the clock.
  const version = Math.max(now, (row?.version ?? 0) + 1);
  const signature = await key.sign(
    catalogStatement(organizationId, version, await offeredModels(ctx, organizationId)),
  );
  const signed = { publicKey: key.publicKey, version, signature, handovers: handovers.slice(-maxHandovers) };
  if (row === null) await ctx.db.insert("catalogSignatures", { organizationId, ...signed });
  else await ctx.db.patch("catalogSignatures", row._id, signed);
}

export const signOutcome = v.union(
  v.literal("unchanged"),
  v.literal("signed"),
  v.literal("rotated"),
  v.literal("no-key"),
  /** The catalog is signed with a key that the deployment does not have. */
  v.literal("other-key"),
  /** The models in the database are not those that were signed. */
  v.literal("changed-outside"),
);

/**
 * Signs a catalog that is not signed yet, or hands over to a new key if the deployment has the previous one, too.
 * @param how `renew`: signs an intact catalog again, as the newest. `force`: signs the present models with the present key,
 * whatever was signed before. After another key, devices refuse the catalog until a person tells them the new one.
 */
export async function signCatalog(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  how: "missing" | "renew" | "force",
  now: number,
): Promise<Infer<typeof signOutcome>> {
  const [row, key, previous] = await Promise.all([
    rowOf(ctx, organizationId),
    organizationKey(organizationId, "present"),
    organizationKey(organizationId, "previous"),
  ]);
  if (key === null) return row === null ? "no-key" : "other-key";
  if (how === "force" || row === null) {
    await hashPieces(ctx, organizationId);
    await sign(ctx, organizationId, row, key, now);
    await note(ctx, organizationId, key, now);
    return "signed";
  }
  if (!(await isSigned(ctx, row))) return "changed-outside";
  if (row.publicKey === key.publicKey) {
    if (how === "missing") return "unchanged";
    await sign(ctx, organizationId, row, key, now);
    return "signed";
  }
  if (row.publicKey !== previous?.publicKey) return "other-key";
  const from = previous.publicKey;
  const to = key.publicKey;
  const signature = await previous.sign(handoverStatement(organizationId, from, to));
  await sign(ctx, organizationId, row, key, now, [...row.handovers, { from, to, signature }]);
  await note(ctx, organizationId, key, now);
  return "rotated";
}

async function note(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  { publicKey }: OrganizationKey,
  now: number,
): Promise<void> {
  const subject = publicKey;
  await record(ctx, { organizationId, at: now, actor: "setup", action: "catalog.signed", subject });
}

/** Adds the hashes of pieces that were stored before catalogs were signed. Those lists are large, so it takes a few. */
async function hashPieces(ctx: MutationCtx, organizationId: Id<"organizations">): Promise<void> {
  const models = await allModels(ctx, organizationId);
  const unhashed = models.filter(
    ({ pieceCount, piecesHash }) => pieceCount !== undefined && piecesHash === undefined,
  );
  for (const { _id, sha256: file } of unhashed.slice(0, 10)) {
    const pieces = await piecesOf(ctx, organizationId, file);
    if (pieces !== null) await ctx.db.patch("models", _id, { piecesHash: await sha256(piecesText(pieces)) });
  }
}
