/**
 * How many jobs of the same lane and affinity stand before each in a submission: all at one slot, they would wait for
 * one worker. 0 for those without an affinity.
 */
export function ordinalsOf(
  jobs: readonly { readonly lane: string; readonly affinity: string | undefined }[],
): readonly number[] {
  const seen = new Map<string, number>();
  return jobs.map(({ lane, affinity }) => {
    if (affinity === undefined) return 0;
    const key = JSON.stringify([lane, affinity]);
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return before;
  });
}
