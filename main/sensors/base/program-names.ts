/** Names of programs compare without case, and without Windows' ending. */
export function programName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/\.exe$/, "");
}

/** The first of the excluded programs that is among the running ones, as the rules write it; null: none. */
export function firstExcluded(excluded: readonly string[], running: ReadonlySet<string>): string | null {
  return excluded.find((name) => running.has(programName(name))) ?? null;
}
