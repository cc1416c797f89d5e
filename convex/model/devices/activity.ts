import type { Infer } from "convex/values";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { boundedText, refuse } from "../refuse.ts";
import type { activity } from "../validators.ts";

type Activity = Infer<typeof activity>;

const maxFacts = 50;
const maxFactChars = 60;

type Told = { readonly activity: Activity; readonly unknownFacts?: readonly string[] };

/**
 * What a device says that it is doing, and which facts it cannot know. Writes on transitions only: the console watches
 * the row. A device that says nothing of its facts leaves them as they were.
 */
export async function report(
  ctx: MutationCtx,
  device: Doc<"devices">,
  { activity: current, unknownFacts: told }: Told,
  now: number,
): Promise<void> {
  const isNews = device.activity?.kind !== current.kind || device.activity.reason !== current.reason;
  const unknownFacts = told === undefined ? device.unknownFacts : factNames(told);
  const isNewFact = JSON.stringify(unknownFacts) !== JSON.stringify(device.unknownFacts);
  if (!isNews && !isNewFact) return;
  await ctx.db.patch("devices", device._id, {
    ...(isNews ? { activity: current, lastChangeAt: now } : {}),
    ...(isNewFact ? { unknownFacts } : {}),
  });
}

function factNames(told: readonly string[]): string[] {
  if (told.length > maxFacts) refuse("invalid", "These are more facts than there are.");
  return [...new Set(told.map((name) => boundedText(name, "A fact", maxFactChars)))].sort();
}

/** Its program has ended. */
export async function endActivity(ctx: MutationCtx, device: Doc<"devices">, now: number): Promise<void> {
  if (device.activity !== null)
    await ctx.db.patch("devices", device._id, { activity: null, lastChangeAt: now });
}
