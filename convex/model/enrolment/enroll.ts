import { limits } from "../../../app/jobs/limits.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { hashSecret } from "../keys/hash.ts";
import { present } from "../load.ts";
import { admitGuess, countWrongGuess } from "../rates/guesses.ts";
import { boundedText, refuse } from "../refuse.ts";
import { normalizeCode } from "./code.ts";

export type EnrolOutcome =
  | { kind: "enrolled"; deviceId: Id<"devices">; organization: string }
  | { kind: "refused"; reason: "unknown-code" | "expired" | "used-up" | "revoked" };

const maxPlatformChars = 60;

/** Makes a device a member of the code's organization. A key that is enrolled already stays as it is. */
export async function enroll(
  ctx: MutationCtx,
  asked: {
    readonly code: string;
    readonly deviceKey: string;
    readonly name: string;
    readonly platform: string;
  },
  now: number,
): Promise<EnrolOutcome> {
  // 256 bits are 43 characters in base64url, 64 in hex.
  if (!/^gd_[A-Za-z0-9_-]{43,128}$/.test(asked.deviceKey)) {
    refuse("invalid", 'A device key is "gd_" and 256 random bits, in hex or base64url.');
  }
  const keyHash = await hashSecret(asked.deviceKey);
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
  const deviceId = await ctx.db.insert("devices", {
    organizationId,
    keyHash,
    name: boundedText(asked.name, "The device's name", limits.nameChars),
    platform: boundedText(asked.platform, "The platform", maxPlatformChars),
    version: "",
    status: "active",
    online: false,
    activity: null,
    capabilities: { threads: 0, memoryMb: 0, models: [] },
    enrolledAt: now,
    lastChangeAt: now,
  });
  await ctx.db.insert("leases", {
    deviceId,
    expiresAt: now,
    lastSeenAt: now,
    armed: false,
    presenceArmed: false,
  });
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
