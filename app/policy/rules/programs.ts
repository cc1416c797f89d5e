import { type Check, hold } from "../declare/check.ts";

/** Whoever names a program means it: where nobody can tell what runs, it may be running. */
export const excludedPrograms: Check<
  "excludedProgram",
  "excludedPrograms",
  "excluded-program" | "programs-unknown"
> = ({ facts: { excludedProgram }, rules }) => {
  if (rules.excludedPrograms.length === 0) return null;
  if (!excludedProgram.known) return hold("programs-unknown");
  return excludedProgram.value === null ? null : hold("excluded-program");
};
