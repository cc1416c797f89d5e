import { createHash, timingSafeEqual } from "node:crypto";

export type AdminKeyCheck = (candidate: string) => boolean;

/** Compares in constant time: neither the key's content nor its length shows in how long a refusal takes. */
export function adminKeyCheck(adminKey: string): AdminKeyCheck {
  const expected = digest(adminKey);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
