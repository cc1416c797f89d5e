/** Ends the program once: first `stop`, then `exit`, at the latest after `withinMs`. */
export function leaveOnce(stop: () => Promise<void>, exit: () => void, withinMs: number): () => boolean {
  let leaving = false;
  return () => {
    if (leaving) return false;
    leaving = true;
    const deadline = setTimeout(exit, withinMs);
    void stop()
      .catch(() => undefined)
      .then(() => {
        clearTimeout(deadline);
        exit();
      });
    return true;
  };
}
