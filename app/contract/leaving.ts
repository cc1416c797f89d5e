import * as z from "zod";

/** A computer has left its organization. */
export const departure = z.object({
  organization: z.string(),
  /** The computer's name there. */
  device: z.string(),
  /** Whether the organization knows it. Otherwise an administrator has to retire the device. */
  isTold: z.boolean(),
  /** Names in the data folder that could not be removed. */
  kept: z.array(z.string()),
});

export type Departure = z.output<typeof departure>;

/** Everything that a person should read after leaving, in sentences. */
export function departureWords({ organization, device, isTold, kept }: Departure): readonly string[] {
  const untold = [
    `This computer has left ${organization}, but its server could not be reached.`,
    `Ask an administrator of ${organization} to retire the device “${device}” in the console.`,
  ];
  const leftOver = `These files could not be removed from Gleaner’s data folder: ${kept.join(", ")}.`;
  return [
    ...(isTold ? [`This computer has left ${organization}.`] : untold),
    ...(kept.length === 0 ? [] : [leftOver]),
  ];
}

/** The organization locked its computers in. */
export const lockedInWords =
  "Your organization does not let its computers leave. Ask an administrator to retire this one.";
