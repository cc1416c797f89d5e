import * as z from "zod";

/** The parts of a process's confinement, and how each is called. */
const partLabels = {
  files: "files",
  network: "network",
  programs: "other programs",
  systemCalls: "system calls",
} as const;

export type ConfinementPart = keyof typeof partLabels;
const parts = ["files", "network", "programs", "systemCalls"] as const satisfies readonly ConfinementPart[];

/** How far one part of the system is out of reach for a process. */
export type ConfinedPart = z.infer<typeof confinedPart>;
const confinedPart = z
  .object({
    part: z.enum(parts),
    /** "yes": it can open, change and use only what it needs. It may still learn that something exists. */
    confined: z.enum(["yes", "partly", "no"]),
    /** The missing part, in a sentence; null if it is complete. */
    why: z.string().max(300).nullable(),
  })
  .readonly();

/** The confinement of the process with the model, a line for each part. */
export type Confinement = z.infer<typeof confinement>;
export const confinement = z.array(confinedPart).max(parts.length).readonly();

/** "files yes, network yes, other programs yes, system calls no" */
export function sayConfinement(confinement: Confinement): string {
  return confinement.map(({ part, confined }) => `${partLabels[part]} ${confined}`).join(", ");
}

/** The sentences about what is missing, each once. */
export function confinementGaps(confinement: Confinement): readonly string[] {
  return [...new Set(confinement.flatMap(({ why }) => (why === null ? [] : [why])))];
}

/** The confinement as the terminal and the panel show it: its name, its parts, and a sentence for each gap. */
export function describeConfinement(confinement: Confinement | null): {
  readonly label: string;
  readonly value: string;
  readonly gaps: readonly string[];
} {
  const label = "Confinement of the model's process";
  if (confinement === null) return { label, value: "known when it has started for the first time", gaps: [] };
  const gaps = confinementGaps(confinement).map((why) => `${why.charAt(0).toUpperCase()}${why.slice(1)}.`);
  return { label, value: sayConfinement(confinement), gaps };
}
