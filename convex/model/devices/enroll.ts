import { type Infer, type ObjectType, v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { limits } from "../../../app/jobs/limits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { hashSecret, unlessRetired } from "../authenticate.ts";
import { relist } from "../fleet/listing.ts";
import { signatureOf } from "../models/signCatalog.ts";
import { currentOwner, ownerView } from "../owners.ts";
import { queue } from "../queue.ts";
import { admitGuess, countWrongGuess } from "../rates.ts";
import { present, refuse, reportedText } from "../refuse.ts";
import { codeByHash, normalizeCode } from "./enrollmentCodes.ts";
import { ensureSecret } from "./sharing.ts";
import { provenKey, signingKey } from "./signingKey.ts";

/** Arguments of an enrollment. `key` is the device's own secret. */
export const enrollment = {
  code: v.string(),
  key: v.string(),
  name: v.string(),
  platform: v.string(),
  /** Absent for programs that do not sign. They get no jobs. */
  signingKey: v.optional(signingKey),
};

const refusedCode = v.object({
  kind: v.literal("refused"),
  reason: literals("unknown-code", "expired", "used-up", "revoked"),
});

export const enrollOutcome = v.union(
  v.object({
    kind: v.literal("enrolled"),
    deviceId: v.id("devices"),
    organization: v.string(),
    /** The public key of its catalog, which the device pins. Null if the catalog is not signed. */
    organizationKey: v.union(v.string(), v.null()),
  }),
  refusedCode,
);

type EnrollOutcome = Infer<typeof enrollOutcome>;

/** The organization that a code admits to, for the person who decides whether to join it. */
export const invitationOutcome = v.union(
  v.object({
    kind: v.literal("open"),
    organization: v.string(),
    /** The public key of its catalog. Null if the catalog is not signed. */
    organizationKey: v.union(v.string(), v.null()),
    /** Whether an admin has to approve the device before it gets jobs. */
    needsApproval: v.boolean(),
    /** The member or team to whom the device will belong. Null: the organization. */
    owner: v.union(v.string(), v.null()),
  }),
  refusedCode,
);

const maxPlatformChars = 60;

/** Adds a device to the code's organization. An enrolled key keeps its device. Refuses: invalid, rate_limited, retired. */
export async function enroll(
  ctx: MutationCtx,
  asked: ObjectType<typeof enrollment>,
  now: number,
): Promise<EnrollOutcome> {
  // 256 bits are 43 characters in base64url, 64 in hex.
  if (!/^gd_[A-Za-z0-9_-]{43,128}$/.test(asked.key)) {
    refuse("invalid", 'A device key is "gd_" and 256 random bits, in hex or base64url.');
  }
  const keyHash = await hashSecret(asked.key);
  const existing = await ctx.db
    .query("devices")
    .withIndex("by_hash", (q) => q.eq("keyHash", keyHash))
    .unique();
  if (existing !== null) return await enrolled(ctx, unlessRetired(existing));

  const found = await openCode(ctx, asked.code, now);
  if (found.kind === "refused") return found;
  const { code } = found;
  await ctx.db.patch("enrolmentCodes", code._id, { used: code.used + 1 });
  return await enrolled(ctx, await addDevice(ctx, code, keyHash, asked, now));
}

/** Tells the organization of a code, and changes nothing but the count of wrong codes. Refuses: rate_limited. */
export async function invitationOf(
  ctx: MutationCtx,
  code: string,
  now: number,
): Promise<Infer<typeof invitationOutcome>> {
  const found = await openCode(ctx, code, now);
  if (found.kind === "refused") return found;
  const { organizationId, needsApproval = false } = found.code;
  const owner = await ownerView(ctx, await currentOwner(ctx, found.code.owner));
  const belongsTo = { owner: owner?.name ?? null };
  return { kind: "open", ...(await introduced(ctx, organizationId)), needsApproval, ...belongsTo };
}

type FoundCode = { readonly kind: "open"; readonly code: Doc<"enrolmentCodes"> };

/** The code that somebody typed, if it admits a device now. Refuses: rate_limited. */
async function openCode(
  ctx: MutationCtx,
  typed: string,
  now: number,
): Promise<FoundCode | Infer<typeof refusedCode>> {
  const codeHash = await hashSecret(normalizeCode(typed));
  const code = await codeByHash(ctx, codeHash);
  await admitGuess(ctx, code !== null);
  if (code === null) {
    await countWrongGuess(ctx);
    return { kind: "refused", reason: "unknown-code" };
  }
  if (code.revokedAt !== undefined) return { kind: "refused", reason: "revoked" };
  if (code.expiresAt <= now) return { kind: "refused", reason: "expired" };
  if (code.used >= code.uses) return { kind: "refused", reason: "used-up" };
  return { kind: "open", code };
}

async function addDevice(
  ctx: MutationCtx,
  { _id: codeId, organizationId, label, owner: codeOwner, needsApproval = false }: Doc<"enrolmentCodes">,
  keyHash: string,
  asked: Pick<ObjectType<typeof enrollment>, "name" | "platform" | "signingKey">,
  now: number,
): Promise<Doc<"devices">> {
  const { ip } = await ctx.meta.getRequestMetadata();
  const owner = await currentOwner(ctx, codeOwner);
  const name = reportedText(asked.name, "The device's name", limits.nameChars);
  const deviceId = await ctx.db.insert("devices", {
    organizationId,
    workerId: "",
    keyHash,
    ...(asked.signingKey === undefined ? {} : { signingKey: await provenKey(keyHash, asked.signingKey) }),
    name,
    platform: reportedText(asked.platform, "The platform", maxPlatformChars),
    status: needsApproval ? "pending" : "active",
    activity: null,
    groups: [],
    enrolledAt: now,
    codeId,
    ...(owner === undefined ? {} : { owner }),
    ...(ip === null ? {} : { enrolledFrom: ip }),
    lastChangeAt: now,
  });
  // The queue's worker and this row name each other by id, so one of the ids is added afterward.
  const workerId = await queue.workers.register(ctx, organizationId, { keyHash, externalId: deviceId, name });
  await ctx.db.patch("devices", deviceId, { workerId });
  if (needsApproval) {
    await queue.workers.update(ctx, organizationId, { workerId, status: "paused", actor: "device" });
  }
  await relist(ctx, deviceId);
  await ensureSecret(ctx, organizationId, now);
  await record(ctx, {
    organizationId,
    at: now,
    actor: "device",
    action: "device.enrolled",
    subject: deviceId,
    detail: `By the code ${label}, from ${ip ?? "an unknown address"}`,
  });
  return present(await ctx.db.get("devices", deviceId), "enrolled device");
}

async function enrolled(ctx: MutationCtx, device: Doc<"devices">): Promise<EnrollOutcome> {
  return { kind: "enrolled", deviceId: device._id, ...(await introduced(ctx, device.organizationId)) };
}

async function introduced(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
): Promise<{ readonly organization: string; readonly organizationKey: string | null }> {
  const { name } = present(await ctx.db.get("organizations", organizationId), "organization");
  return { organization: name, organizationKey: (await signatureOf(ctx, organizationId))?.publicKey ?? null };
}
