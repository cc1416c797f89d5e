const reloads = 3;
const withinMs = 60_000;

/**
 * Limits how often a page that crashed is loaded again, so that a page that crashes at once does not use up the
 * computer. Each call counts a crash at `now`, in ms; it returns whether to load the page again.
 */
export function reloadLimit(): (now: number) => boolean {
  let crashes: readonly number[] = [];
  return (now) => {
    crashes = [...crashes.filter((at) => now - at < withinMs), now];
    return crashes.length <= reloads;
  };
}
