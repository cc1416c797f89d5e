import { createHash, timingSafeEqual } from "node:crypto";

export type AdminKeyCheck = (candidate: string) => boolean;

/** Compares in constant time, so that timing reveals neither the key's content nor its length. */
export function adminKeyCheck(adminKey: string): AdminKeyCheck {
  const expected = digest(adminKey);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
