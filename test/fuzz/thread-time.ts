/** A body is 1 MiB at most, and most of an allowed one's time is for its values, so this is generous. */
const mostBaselines = 15;
const tries = 3;
const rounds = 8;

/** Work in proportion to which all other work is judged: the parse of a JSON text of 1 MiB. */
const text = `[${"0,".repeat(2 ** 19 - 2)}0]`;

/**
 * Makes a check of how much processor time of this thread some work takes, compared with a fixed work in the same process.
 * So it does not fail on a slow or busy machine.
 */
export function threadTimeBound(): (what: string, work: () => void) => void {
  JSON.parse(text);
  const baselineMs =
    threadMsOf(() => {
      for (let round = 0; round < rounds; round++) JSON.parse(text);
    }) / rounds;
  const mostMs = mostBaselines * baselineMs;
  return (what, work) => {
    let leastMs = Infinity;
    // Compilation or the collection of garbage may slow one try down.
    for (let tried = 0; tried < tries; tried++) {
      leastMs = Math.min(leastMs, threadMsOf(work));
      if (leastMs <= mostMs) return;
    }
    throw new Error(`${what} took ${leastMs.toFixed(0)} ms; at most ${mostMs.toFixed(0)} are allowed here`);
  };
}

function threadMsOf(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
