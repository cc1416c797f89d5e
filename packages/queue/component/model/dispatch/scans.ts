/** At most this part of a lane is looked at by one that has just ended a job. */
const widest = 1 / 64;
const slotsSeen = 4;
/** At the least, so much is looked at by one that begins to ask: all of it in a small fleet. */
const slotsSurveyed = 16;

/**
 * In which part of a lane one that has just ended a job looks for one to steal. So small that it finds one where a few
 * wait for each worker: there two thieves seldom meet. Where fewer do, it would collide with every submission and claim,
 * and waits instead: what is ready in its arc, which is nobody else's, is shown to it there.
 * @param within how many slots' worth; the simulator compares others.
 */
export function glance(slots: number, within = slotsSeen): number {
  return Math.min(widest, within / slots);
}

/** The same for one that begins to ask, which is seldom. All of a large lane would collide with every submission, too. */
export function survey(slots: number, within = slotsSurveyed): number {
  return Math.min(1, within / slots);
}
