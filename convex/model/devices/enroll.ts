import { limits } from "../../../app/jobs/limits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { hashSecret } from "../keys/hash.ts";
import { present } from "../load.ts";
import { queue } from "../queue.ts";
import { admitGuess, countWrongGuess } from "../rates/guesses.ts";
import { boundedText, refuse } from "../refuse.ts";
import { ensureSecret } from "./sharing.ts";
import { normalizeCode } from "../enrolment/code.ts";

export type EnrolOutcome =
  | { kind: "enrolled"; deviceId: Id<"devices">; organization: string }
  | { kind: "refused"; reason: "unknown-code" | "expired" | "used-up" | "revoked" };

const maxPlatformChars = 60;

/** Makes a device a member of the code's organization. A key that is enrolled already stays as it is. */
export async function enroll(
  ctx: MutationCtx,
  asked: {
    readonly code: string;
    readonly key: string;
    readonly name: string;
    readonly platform: string;
  },
  now: number,
): Promise<EnrolOutcome> {
  // 256 bits are 43 characters in base64url, 64 in hex.
  if (!/^gd_[A-Za-z0-9_-]{43,128}$/.test(asked.key)) {
    refuse("invalid", 'A device key is "gd_" and 256 random bits, in hex or base64url.');
  }
  const keyHash = await hashSecret(asked.key);
  const existing = await ctx.db
    .query("devices")
    .withIndex("by_hash", (q) => q.eq("keyHash", keyHash))
    .unique();
  if (existing !== null) return await enrolled(ctx, existing);

  const codeHash = await hashSecret(normalizeCode(asked.code));
  const code = await ctx.db
    .query("enrolmentCodes")
    .withIndex("by_hash", (q) => q.eq("codeHash", codeHash))
    .unique();
  await admitGuess(ctx, code !== null);
  if (code === null) {
    await countWrongGuess(ctx);
    return { kind: "refused", reason: "unknown-code" };
  }
  if (code.revokedAt !== undefined) return { kind: "refused", reason: "revoked" };
  if (code.expiresAt <= now) return { kind: "refused", reason: "expired" };
  if (code.used >= code.uses) return { kind: "refused", reason: "used-up" };
  await ctx.db.patch("enrolmentCodes", code._id, { used: code.used + 1 });

  const { organizationId } = code;
  const name = boundedText(asked.name, "The device's name", limits.nameChars);
  const deviceId = await ctx.db.insert("devices", {
    organizationId,
    workerId: "",
    keyHash,
    name,
    platform: boundedText(asked.platform, "The platform", maxPlatformChars),
    status: "active",
    activity: null,
    groups: [],
    enrolledAt: now,
    lastChangeAt: now,
  });
  // The queue names it by this row's id, and the row by the queue's: so one of them comes second.
  const workerId = await queue.workers.register(ctx, organizationId, { keyHash, externalId: deviceId, name });
  await ctx.db.patch("devices", deviceId, { workerId });
  await ensureSecret(ctx, organizationId, now);
  await record(ctx, {
    organizationId,
    at: now,
    actor: "device",
    action: "device.enrolled",
    subject: deviceId,
  });
  return await enrolled(ctx, present(await ctx.db.get("devices", deviceId), "enrolled device"));
}

async function enrolled(ctx: MutationCtx, device: Doc<"devices">): Promise<EnrolOutcome> {
  const organization = present(await ctx.db.get("organizations", device.organizationId), "organization");
  return { kind: "enrolled", deviceId: device._id, organization: organization.name };
}
