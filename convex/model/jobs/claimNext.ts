import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import type { Claimed } from "../validators.ts";
import { candidatesFor } from "./candidates.ts";
import { claim } from "./claim.ts";

/** Few, since every one of them is read: two devices that complete at once seldom pick the same. */
const choices = 4;

/** The next job for a device that has just completed one, in the same transaction; null when there is none. */
export async function claimNext(
  ctx: MutationCtx,
  device: Doc<"devices">,
  now: number,
): Promise<Claimed | null> {
  const candidates = await candidatesFor(ctx, device, choices);
  const chosen = candidates[Math.floor(Math.random() * candidates.length)];
  if (chosen === undefined) return null;
  const outcome = await claim(ctx, device, chosen, now);
  return outcome.kind === "claimed" ? outcome : null;
}
