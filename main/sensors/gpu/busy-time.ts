/** Busy time of one program on one engine of a GPU, in the unit of `total`. It only grows. */
export type BusyTime = {
  readonly gpu: string;
  readonly engine: string;
  /** Who used it: a process, or one of its connections to the GPU. */
  readonly client: string;
  readonly own: boolean;
  readonly busy: number;
  /** The time that has passed, if the source counts it in a unit of its own. Null: `busy` is in nanoseconds. */
  readonly total: number | null;
  /** How many such engines the GPU has. */
  readonly engines: number;
};

/** All clients' busy times at one moment. */
export type BusySample = { readonly atMs: number; readonly times: readonly BusyTime[] };

/** Others' load of each GPU's busiest engine between two samples, and ours. Shares of the time; may exceed 1 by errors. */
export function busyShares(
  before: BusySample,
  now: BusySample,
): ReadonlyMap<string, { readonly others: number; readonly ours: number }> {
  const passedNs = (now.atMs - before.atMs) * 1e6;
  const known = new Map(before.times.map((time) => [keyOf(time), time]));
  // All clients of an engine share its clock.
  const cycles = new Map<string, number>();
  for (const time of now.times) {
    const first = known.get(keyOf(time))?.total ?? null;
    if (first === null || time.total === null) continue;
    const engine = `${time.gpu} ${time.engine}`;
    cycles.set(engine, Math.max(cycles.get(engine) ?? 0, time.total - first));
  }
  const byEngine = new Map<string, { readonly gpu: string; others: number; ours: number }>();
  for (const time of now.times) {
    const { gpu, engine, own, busy, total, engines } = time;
    // A client that was not there before has counted from 0 since then.
    const first = known.get(keyOf(time));
    const passed = total === null ? passedNs : (cycles.get(`${gpu} ${engine}`) ?? 0);
    const used = passed <= 0 ? 0 : Math.max(0, busy - (first?.busy ?? 0)) / passed / engines;
    const sum = byEngine.get(`${gpu} ${engine}`) ?? { gpu, others: 0, ours: 0 };
    // A counter that is not a time gives no share above 1.
    if (own) sum.ours += Math.min(1, used);
    else sum.others += Math.min(1, used);
    byEngine.set(`${gpu} ${engine}`, sum);
  }
  const found = new Map<string, { others: number; ours: number }>();
  for (const { gpu, others, ours } of byEngine.values()) {
    const so = found.get(gpu) ?? { others: 0, ours: 0 };
    found.set(gpu, { others: Math.max(so.others, others), ours: Math.max(so.ours, ours) });
  }
  return found;
}

function keyOf({ gpu, engine, client }: BusyTime): string {
  return `${gpu} ${engine} ${client}`;
}

/** The shortest time over which a share is computed, in ms. */
const shortestMs = 400;
/** An older sample says nothing about now. */
const oldestMs = 20_000;

/** Compares each sample with the one before. The first time it takes two, half a second apart. */
export class BusyWatch<Sample extends BusySample> {
  readonly #take: () => Promise<Sample>;
  readonly #wait: (ms: number) => Promise<unknown>;
  #last: Sample | null = null;
  #shares: ReturnType<typeof busyShares> = new Map();

  constructor(take: () => Promise<Sample>, wait: (ms: number) => Promise<unknown>) {
    this.#take = take;
    this.#wait = wait;
  }

  async read(): Promise<{ readonly sample: Sample; readonly shares: ReturnType<typeof busyShares> }> {
    let sample = await this.#take();
    let last = this.#last;
    if (last === null || sample.atMs - last.atMs > oldestMs) {
      last = sample;
      await this.#wait(500);
      sample = await this.#take();
    }
    if (sample.atMs - last.atMs < shortestMs) return { sample, shares: this.#shares };
    this.#last = sample;
    this.#shares = busyShares(last, sample);
    return { sample, shares: this.#shares };
  }
}
