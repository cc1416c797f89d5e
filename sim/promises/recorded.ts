import * as z from "zod";
import type { CapacityDay } from "../../app/forecast/capacity.ts";
import { type Case, lengthSpread, promises } from "./cases.ts";
import { promiseMoments, replayRecorded } from "./replay.ts";

const hour = z.object({
  startAt: z.number(),
  samples: z.number().min(1),
  devices: z.number(),
  busyDevices: z.number(),
  busyJobs: z.number(),
});
const days = z.array(
  z.object({ organizationId: z.string(), startAt: z.number(), hours: z.array(hour).readonly() }),
);

/** The recorded days of each organization, from rows of `capacityDays` as JSON. Throws a RangeError for another text. */
export function parseRecorded(text: string): ReadonlyMap<string, readonly CapacityDay[]> {
  const parsed = days.safeParse(jsonOf(text));
  if (!parsed.success)
    throw new RangeError(`These are no rows of capacityDays: ${z.prettifyError(parsed.error)}`);
  return Map.groupBy(parsed.data, ({ organizationId }) => organizationId);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Replays promises on the recorded days of one organization, with so many seeds. Empty: they are too few. */
export function recordedCases(
  recorded: readonly CapacityDay[],
  { seed: first, seeds }: { readonly seed: number; readonly seeds: number },
): readonly Case[] {
  return Array.from({ length: seeds }, (_, n) => first + n).flatMap((seed) =>
    promiseMoments.flatMap((moment) => {
      const figures = replayRecorded(moment, recorded, { promises, seed, lengthSpread });
      return figures === null ? [] : [{ weeks: Math.floor(recorded.length / 7), moment, seed, ...figures }];
    }),
  );
}
