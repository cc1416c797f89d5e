/** Program names compare without case and without Windows' ".exe". */
export function programName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/\.exe$/, "");
}

/** The first excluded program that runs, spelled as in the rules. Null if none runs. */
export function firstExcluded(excluded: readonly string[], running: ReadonlySet<string>): string | null {
  return excluded.find((name) => running.has(programName(name))) ?? null;
}
