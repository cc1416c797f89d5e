/** The time limit for releasing jobs before the program ends. */
const exitWithinMs = 3_000;

/** Calls `stop` once, then `exit`, after `exitWithinMs` at the latest. Calls after the first return false. */
export function leaveOnce(stop: () => Promise<void>, exit: (isLate: boolean) => void): () => boolean {
  let leaving = false;
  return () => {
    if (leaving) return false;
    leaving = true;
    const deadline = setTimeout(() => exit(true), exitWithinMs);
    void stop()
      .catch(() => undefined)
      .then(() => {
        clearTimeout(deadline);
        exit(false);
      });
    return true;
  };
}
