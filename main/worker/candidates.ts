/**
 * A random one of the candidates that were not tried yet: devices that see the same list then seldom want
 * the same job. Null when all were tried; a changed list brings new ones.
 */
export function pickCandidate(
  candidates: readonly string[],
  tried: ReadonlySet<string>,
  random: () => number,
): string | null {
  const untried = candidates.filter((jobId) => !tried.has(jobId));
  return untried[Math.floor(random() * untried.length)] ?? null;
}
