import type { Doc, Id, QueryCtx } from "../../builders.ts";
import type { Cursor } from "../../validators.ts";
import { matches } from "../lanes/match.ts";
import { arcOf, type Range } from "../rings/arcs.ts";
import { following } from "../rings/neighbours.ts";
import { isAvoided } from "./avoid.ts";
import { hasJustReleased, isOverdue, lastAttemptOf, type Givable } from "./give.ts";
import { glance, survey } from "./glance.ts";
import { levelOrder, othersFirst } from "./order.ts";
import { compareSeats, probesOf } from "./probes.ts";
import { payloadOf } from "./rows.ts";

/** Jobs looked at in one range for one that is not avoided. */
const scanned = 32;
type Lane = Doc<"lanes">;
type Job = Doc<"jobs">;

/** One worker's search for jobs: what it knows by now, so that nothing is read twice. Reads, and writes nothing. */
export class Search {
  readonly #ctx: QueryCtx;
  readonly #worker: Doc<"workers">;
  readonly #now: number;
  readonly #joins: boolean;
  readonly #homes = new Map<Id<"lanes">, Promise<readonly Range[]>>();
  /** Found already, or found to be nothing for this worker. */
  readonly #done = new Set<Id<"jobs">>();
  #sticky: Lane | null;
  #matching: Promise<readonly Lane[]> | undefined;
  cursor: Cursor;

  /**
   * @param sticky the lane of the cursor, read beside the worker; null where there is none.
   * @param joins whether it begins to ask: it looks further, and at what others hold ahead.
   */
  constructor(
    ctx: QueryCtx,
    worker: Doc<"workers">,
    sticky: Lane | null,
    cursor: Cursor | undefined,
    now: number,
    joins: boolean,
  ) {
    this.#ctx = ctx;
    this.#worker = worker;
    this.#now = now;
    this.#joins = joins;
    this.#sticky = sticky !== null && this.#fits(sticky) ? sticky : null;
    this.cursor = cursor ?? { laneId: null, place: 0, turn: 0 };
  }

  /** The lanes of the scope that the worker can run jobs of. */
  matching(): Promise<readonly Lane[]> {
    this.#matching ??= this.#ctx.db
      .query("lanes")
      .withIndex("by_name", (q) => q.eq("scope", this.#worker.scope))
      .collect()
      .then((lanes) => lanes.filter((lane) => this.#fits(lane)));
    return this.#matching;
  }

  /**
   * The next job; null when none is found. Home before theft, the lane that it is used to before the others, and what
   * others hold ahead last of all.
   * Stages of reads: next home; jobs at home; payload. Two more for a theft, and once more all for the other lanes.
   */
  async next(steals: boolean): Promise<Givable | null> {
    for (;;) {
      const job = await this.#find(steals);
      if (job === null) return null;
      this.#done.add(job._id);
      const [payload, last] = await Promise.all([
        payloadOf(this.#ctx, job._id),
        job.attempts === 0 ? null : lastAttemptOf(this.#ctx, job._id),
      ]);
      if (payload === null || hasJustReleased(this.#worker, last, this.#now)) continue;
      // What it holds ahead itself it begins without being given it again.
      if (job.status === "prefetched" && last?.workerId === this.#worker._id) continue;
      this.cursor = { laneId: job.laneId, place: job.place, turn: (this.cursor.turn + 1) % 65_536 };
      this.#sticky = (await this.#known(job.laneId)) ?? this.#sticky;
      return { job, payload: payload.payload };
    }
  }

  async #find(steals: boolean): Promise<Job | null> {
    const { turn } = this.cursor;
    const groups = this.#groups(othersFirst(turn));
    for (const group of groups) {
      const lanes = (await group()).filter(({ state }) => state !== "paused");
      const found = (await this.#atHome(lanes)) ?? (await this.#byDice(lanes, "ready"));
      if (found !== null) return found;
    }
    if (!steals || !this.#joins) return null;
    const lanes = (await this.matching()).filter(({ state }) => state !== "paused");
    return await this.#byDice(lanes, "prefetched");
  }

  /** The lanes by turns: each is read only when it comes to it. */
  #groups(others: boolean): readonly (() => Promise<readonly Lane[]>)[] {
    const sticky = this.#sticky;
    if (sticky === null) return [() => this.matching()];
    const first = () => Promise.resolve([sticky]);
    const rest = async () => (await this.matching()).filter(({ _id }) => _id !== sticky._id);
    return others ? [rest, first] : [first, rest];
  }

  async #atHome(lanes: readonly Lane[]): Promise<Job | null> {
    const { place } = this.cursor;
    const perLane = await Promise.all(
      lanes.map(async (lane) => {
        const probes = probesOf(await this.#homeIn(lane._id), lane.slots, place, Math.random);
        return await this.#inEachLevel(async (level) => {
          const found = await Promise.all(
            probes.map(async ({ from, split, to }) => {
              const [after, before] = await Promise.all([
                this.#firstAt(lane, level, { from: split, to }),
                this.#firstAt(lane, level, { from, to: split }),
              ]);
              return after ?? before;
            }),
          );
          return (
            found
              .filter((job) => job !== null)
              .sort((a, b) => compareSeats(a.place, b.place, place) || a.rank - b.rank)[0] ?? null
          );
        });
      }),
    );
    return this.#best(perLane);
  }

  /** A thief takes any job with equal chance: a lane's full homes are hit most, and two thieves seldom meet. */
  async #byDice(lanes: readonly Lane[], status: "ready" | "prefetched"): Promise<Job | null> {
    const draw = Math.random();
    const perLane = await Promise.all(
      lanes.map((lane) => {
        const [first, second] = this.#diceRanges(lane, draw);
        return this.#inEachLevel(async (level) => {
          const of = (range: Range) =>
            this.#firstOf(
              this.#ctx.db
                .query("jobs")
                .withIndex("by_dice", (q) =>
                  q
                    .eq("laneId", lane._id)
                    .eq("status", status)
                    .eq("level", level)
                    .gte("dice", range.from)
                    .lt("dice", range.to),
                ),
            );
          const [after, before] = await Promise.all([of(first), second === null ? null : of(second)]);
          return after ?? before;
        });
      }),
    );
    return this.#best(perLane);
  }

  /** From a random point on, around the end of the lane. */
  #diceRanges({ slots }: Lane, from: number): readonly [Range, Range | null] {
    const to = from + (this.#joins ? survey(slots) : glance(slots));
    return [{ from, to: Math.min(1, to) }, to > 1 ? { from: 0, to: Math.min(from, to - 1) } : null];
  }

  async #inEachLevel(find: (level: number) => Promise<Job | null>): Promise<readonly (Job | null)[]> {
    return await Promise.all(levelOrder(this.cursor.turn).map(find));
  }

  /** By level first, in the turn's order, then by lane. */
  #best(perLane: readonly (readonly (Job | null)[])[]): Job | null {
    for (const at of [0, 1, 2]) {
      for (const levels of perLane) {
        const job = levels[at] ?? null;
        if (job !== null) return job;
      }
    }
    return null;
  }

  async #firstAt(lane: Lane, level: number, { from, to }: Range): Promise<Job | null> {
    if (from >= to) return null;
    return await this.#firstOf(
      this.#ctx.db
        .query("jobs")
        .withIndex("by_place", (q) =>
          q
            .eq("laneId", lane._id)
            .eq("status", "ready")
            .eq("level", level)
            .gte("place", from)
            .lt("place", to),
        ),
    );
  }

  /** Reads no further than to the first that will do: a mutation collides on what it has read. */
  async #firstOf(jobs: AsyncIterable<Job>): Promise<Job | null> {
    let looked = 0;
    for await (const job of jobs) {
      if (await this.#wants(job)) return job;
      looked += 1;
      if (looked === scanned) return null;
    }
    return null;
  }

  async #wants(job: Job): Promise<boolean> {
    if (this.#done.has(job._id) || isOverdue(job, this.#now)) return false;
    return !(await isAvoided(this.#ctx, job, this.#worker));
  }

  #homeIn(laneId: Id<"lanes">): Promise<readonly Range[]> {
    const known = this.#homes.get(laneId);
    if (known !== undefined) return known;
    const { position } = this.#worker;
    const home = following(this.#ctx, "homes", laneId, position, 1).then(([next]) =>
      arcOf(position, next?.position ?? position),
    );
    this.#homes.set(laneId, home);
    return home;
  }

  async #known(laneId: Id<"lanes">): Promise<Lane | undefined> {
    if (this.#sticky?._id === laneId) return this.#sticky;
    return (await this.matching()).find(({ _id }) => _id === laneId);
  }

  #fits(lane: Lane): boolean {
    return lane.scope === this.#worker.scope && matches(this.#worker, lane.kind, lane.requirements);
  }
}
