import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { ComponentPath } from "../names/table-name.ts";

/** How long an upload URL can be used, in ms: Convex's hour. */
const validMs = 3_600_000;
const maxLength = 2_048;

const payloadSchema = z.object({ component: z.string(), issued: z.number(), nonce: z.string() });

export type TokenCheck =
  | { readonly kind: "valid"; readonly component: ComponentPath }
  | { readonly kind: "invalid" }
  | { readonly kind: "expired" };

/** Issues a token whose holder may store files in a component. `now` in ms since the epoch. */
export function issueUploadToken(secret: string, component: ComponentPath, now: number): string {
  const payload = JSON.stringify({ component, issued: now, nonce: randomBytes(12).toString("hex") });
  const body = Buffer.from(payload).toString("base64url");
  return `${body}.${signatureOf(secret, body).toString("base64url")}`;
}

/** Whether this backend issued the token within the last hour. */
export function checkUploadToken(secret: string, token: string, now: number): TokenCheck {
  if (token.length > maxLength) return { kind: "invalid" };
  const [body = "", signature = "", ...rest] = token.split(".");
  const expected = signatureOf(secret, body);
  const given = Buffer.from(signature, "base64url");
  const isOurs = rest.length === 0 && given.length === expected.length && timingSafeEqual(given, expected);
  if (!isOurs) return { kind: "invalid" };
  const { component, issued } = payloadSchema.parse(JSON.parse(Buffer.from(body, "base64url").toString()));
  return now > issued + validMs ? { kind: "expired" } : { kind: "valid", component };
}

function signatureOf(secret: string, body: string): Buffer {
  return createHmac("sha256", secret).update(body).digest();
}
