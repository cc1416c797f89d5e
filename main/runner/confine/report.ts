import { mkdirSync } from "node:fs";
import type { ConfinedPart, Confinement, ConfinementPart } from "../../../app/contract/confinement.ts";

export const yes = (part: ConfinementPart): ConfinedPart => ({ part, confined: "yes", why: null });

export const partly = (part: ConfinementPart, why: string): ConfinedPart => ({
  part,
  confined: "partly",
  why,
});

export const no = (part: ConfinementPart, why: string): ConfinedPart => ({ part, confined: "no", why });

/** The same reason for all parts. */
export function nothing(why: string): Confinement {
  return (["files", "network", "programs", "systemCalls"] as const).map((part) => no(part, why));
}

/** The folder in which graphics drivers may write. */
export function makeCache(path: string | null): void {
  if (path !== null) mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** A step of the confinement that failed; its message is for the log. */
export function failureOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
