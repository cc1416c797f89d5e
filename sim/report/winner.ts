import type { PolicyFigures } from "./figures-of.ts";

/**
 * What matters first sifts first, and what a later figure cannot make good is out:
 * 1. idle devices while work waits: within a tenth of the best;
 * 2. p95 from submission to start: within 100 ms of the best of those, less than a person notices;
 * 3. conflicts: within 0.05 a job, or a tenth, of the best of those;
 * 4. of those that are left, the one with the most cache hits; then the lowest p95, then the first by name.
 */
const SIFTS: readonly { readonly of: keyof PolicyFigures; readonly share: number; readonly slack: number }[] =
  [
    { of: "idleWhileWaiting", share: 0.1, slack: 0 },
    { of: "p95", share: 0, slack: 100 },
    { of: "conflictsPerJob", share: 0.1, slack: 0.05 },
  ];

export function winnerOf(policies: { readonly [name: string]: PolicyFigures }): string {
  let left = Object.entries(policies);
  for (const { of, share, slack } of SIFTS) {
    const best = Math.min(...left.map(([, figures]) => figures[of]));
    left = left.filter(([, figures]) => figures[of] <= best + Math.max(best * share, slack));
  }
  left.sort(
    ([nameA, a], [nameB, b]) => b.cacheHits - a.cacheHits || a.p95 - b.p95 || nameA.localeCompare(nameB),
  );
  return left[0]?.[0] ?? "none";
}
