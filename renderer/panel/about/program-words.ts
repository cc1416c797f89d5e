import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";

export const shellWords: Readonly<Record<DonorSnapshot["shell"], string>> = {
  desktop: "desktop program",
  headless: "background service",
};

/** A sentence about the place of this computer's key. Null if the donor does not tell it. */
export function sayKeyStorage({
  keyStorage,
  shell,
}: Pick<DonorSnapshot, "keyStorage" | "shell">): string | null {
  if (keyStorage === undefined) return null;
  if (keyStorage === "keychain") return "This computer’s key is encrypted with your keychain.";
  return shell === "desktop"
    ? "This system offers no keychain, so this computer’s key is in a file that only you can read."
    : "This computer’s key is in a file that only its owner can read.";
}
