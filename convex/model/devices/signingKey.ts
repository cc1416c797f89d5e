import { type Infer, v } from "convex/values";
import {
  deviceKeyStatement,
  publicKeyPattern,
  signaturePattern,
} from "../../../app/signatures/statements.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { record } from "../audit.ts";
import { refuse } from "../refuse.ts";
import { isSignedBy } from "../signatures.ts";

/** A device's public key, and its proof that it has the private one: it signed `deviceKeyStatement`. */
export const signingKey = v.object({ publicKey: v.string(), proof: v.string() });

/** The public key, if its owner proved that it belongs to the device with this key hash. Refuses: invalid. */
export async function provenKey(
  keyHash: string,
  { publicKey, proof }: Infer<typeof signingKey>,
): Promise<string> {
  if (!publicKeyPattern.test(publicKey) || !signaturePattern.test(proof)) {
    refuse("invalid", "A signing key is 32 bytes and its proof is 64 bytes, both in base64url.");
  }
  if (!(await isSignedBy(publicKey, proof, deviceKeyStatement({ keyHash, publicKey })))) {
    refuse("invalid", "The proof does not fit this signing key and this device.");
  }
  return publicKey;
}

/**
 * Registers the signing key of a device that enrolled without one. Once only: a stolen device key must not be enough to sign
 * in the device's name. Refuses: invalid, conflict (the device has another one).
 */
export async function registerSigningKey(
  ctx: MutationCtx,
  device: Doc<"devices">,
  given: Infer<typeof signingKey>,
  now: number,
): Promise<void> {
  const publicKey = await provenKey(device.keyHash, given);
  if (device.signingKey === publicKey) return;
  if (device.signingKey !== undefined) {
    refuse(
      "conflict",
      "This device has registered another signing key. Retire it, and enroll the computer again as a new device.",
    );
  }
  await ctx.db.patch("devices", device._id, { signingKey: publicKey });
  await record(ctx, {
    organizationId: device.organizationId,
    at: now,
    actor: "device",
    action: "device.key-registered",
    subject: device._id,
    detail: publicKey,
  });
}
