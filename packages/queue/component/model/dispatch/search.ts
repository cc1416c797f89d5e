import type { Doc, Id, QueryCtx } from "../../builders.ts";
import type { Cursor } from "../../validators.ts";
import { lastAttemptOf, payloadOf } from "../jobs/rows.ts";
import { matches } from "../lanes/match.ts";
import { inPieces } from "../load.ts";
import { othersFirst, priorities, prioritiesIn, priorityOrder } from "../priority.ts";
import { arcOf, type Range } from "../rings/arcs.ts";
import { homeOf } from "../rings/membership.ts";
import { following } from "../rings/neighbors.ts";
import { type AssignableJob, hasJustReleased, isOverdue } from "./assign.ts";
import { isAvoided } from "./avoid.ts";
import { compareSeats, fullScan, localScan, maxStretches, stretchesOf } from "./scans.ts";

/** Lanes looked at together. */
const lanesAtOnce = 16;
/** The lanes beside the one that it is used to have so many probes together, each one at least. */
const probesOfOthers = 64;
/** Jobs looked at in one range for one that is not avoided. */
const scanned = 32;
/** Where a worker begins to look. */
export const noCursor: Cursor = { laneId: null, place: 0, turn: 0 };

type Lane = Doc<"lanes">;
type Job = Doc<"jobs">;
/** By level. */
type Fronts = readonly (Job | null)[];

/** One worker's search for jobs: what it knows by now, so that nothing is read twice. Reads, and writes nothing. */
export class Search {
  readonly #ctx: QueryCtx;
  readonly #worker: Doc<"workers">;
  readonly #now: number;
  readonly #joins: boolean;
  readonly #homes = new Map<Id<"lanes">, Promise<readonly Range[]>>();
  /** What stands first at home in each lane, by level, until it is given. */
  readonly #fronts = new Map<Id<"lanes">, Promise<Fronts>>();
  /** What was drawn to be stolen in each lane, by level, until it is given. */
  readonly #drawn = {
    ready: new Map<Id<"lanes">, Promise<Fronts>>(),
    prefetched: new Map<Id<"lanes">, Promise<Fronts>>(),
  };
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
    this.cursor = cursor ?? noCursor;
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
   * The next job; null when none is found. Home before theft, and what others hold ahead last of all. At home the turn
   * of a requester comes in all lanes at once; among jobs of one level and requester the lane that it is used to
   * comes first.
   * Stages of reads: next home; jobs at home; payload. One more where there are other lanes, which are read first, and
   * for a theft.
   */
  async next(steals: boolean): Promise<AssignableJob | null> {
    for (;;) {
      const job = await this.#find(steals);
      if (job === null) return null;
      this.#done.add(job._id);
      const [payload, last] = await Promise.all([
        payloadOf(this.#ctx, job._id),
        job.attempts === 0 ? null : lastAttemptOf(this.#ctx, job._id),
      ]);
      this.#forget(job);
      const released = hasJustReleased(this.#worker, last, this.#now);
      // What it holds ahead itself it begins without being given it again.
      const own = job.status === "prefetched" && last?.workerId === this.#worker._id;
      if (payload === null || released || own) continue;
      this.cursor = { laneId: job.laneId, place: job.place, turn: (this.cursor.turn + 1) % 65_536 };
      this.#sticky = (await this.#known(job.laneId)) ?? this.#sticky;
      return { job, payload: payload.payload };
    }
  }

  /** A job is given, or none for this worker: its lane has to be looked at again. */
  #forget({ laneId }: Job): void {
    this.#fronts.delete(laneId);
    this.#drawn.ready.delete(laneId);
    this.#drawn.prefetched.delete(laneId);
  }

  async #find(steals: boolean): Promise<Job | null> {
    const atHome = await this.#atHome();
    if (atHome !== null) return atHome;
    const groups = await this.#groups();
    for (const lanes of groups) {
      const found = await this.#byDice(lanes, "ready");
      if (found !== null) return found;
    }
    return steals && this.#joins ? await this.#byDice(groups.flat(), "prefetched") : null;
  }

  /** The lanes in the turn's order: mostly the one that it is used to first, each 8th turn last. */
  async #groups(): Promise<readonly (readonly Lane[])[]> {
    const sticky = this.#openSticky();
    const first = sticky === null ? [] : [sticky];
    const rest = await this.#others();
    return (othersFirst(this.cursor.turn) ? [rest, first] : [first, rest]).filter(({ length }) => length > 0);
  }

  #openSticky(): Lane | null {
    return this.#sticky?.state === "paused" ? null : this.#sticky;
  }

  async #others(): Promise<readonly Lane[]> {
    const lanes = await this.matching();
    return lanes.filter(({ _id, state }) => state !== "paused" && _id !== this.#sticky?._id);
  }

  /**
   * The next of those that stand first at home: by level; then by seat, which a requester has in all lanes, so that
   * what one has in the lane that the worker is used to does not hold up another's job in another lane.
   */
  async #atHome(): Promise<Job | null> {
    const { place, turn } = this.cursor;
    const sticky = this.#openSticky();
    const [own, others] = await Promise.all([
      sticky === null ? null : this.#frontsIn(sticky, maxStretches),
      this.#others().then(async (lanes) => {
        const probes = Math.max(1, Math.min(maxStretches, Math.floor(probesOfOthers / lanes.length)));
        return await inPieces(lanes, lanesAtOnce, (lane) => this.#frontsIn(lane, probes));
      }),
    ]);
    const lanes = othersFirst(turn) ? [...others, own] : [own, ...others];
    for (const level of priorityOrder(turn)) {
      const [first] = lanes
        .map((fronts) => fronts?.[level] ?? null)
        .filter((job) => job !== null)
        // Stable: among equals the lane that comes first.
        .sort((a, b) => compareSeats(a.place, b.place, place));
      if (first !== undefined) return first;
    }
    return null;
  }

  /** Read once, and again when one of them was given: what is empty stays so for this search. */
  #frontsIn(lane: Lane, most: number): Promise<Fronts> {
    const known = this.#fronts.get(lane._id);
    if (known !== undefined) return known;
    const fronts = this.#readFronts(lane, most);
    this.#fronts.set(lane._id, fronts);
    return fronts;
  }

  async #readFronts(lane: Lane, most: number): Promise<Fronts> {
    const { place } = this.cursor;
    const probes = stretchesOf(await this.#homeIn(lane._id), lane.slots, place, Math.random, most);
    const known = prioritiesIn(lane);
    return await Promise.all(
      priorities.map(async (level) => {
        if (!known.includes(level)) return null;
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
      }),
    );
  }

  /** A thief takes any job with equal chance: a lane's full homes are hit most, and two thieves seldom meet. */
  async #byDice(lanes: readonly Lane[], status: "ready" | "prefetched"): Promise<Job | null> {
    return this.#best(await inPieces(lanes, lanesAtOnce, (lane) => this.#drawnFrom(lane, status)));
  }

  /** Read once, and again when one of them was given: what is empty stays so for this search. */
  #drawnFrom(lane: Lane, status: "ready" | "prefetched"): Promise<Fronts> {
    const known = this.#drawn[status].get(lane._id);
    if (known !== undefined) return known;
    const drawn = this.#draw(lane, status);
    this.#drawn[status].set(lane._id, drawn);
    return drawn;
  }

  async #draw(lane: Lane, status: "ready" | "prefetched"): Promise<Fronts> {
    const [first, second] = this.#diceRanges(lane, Math.random());
    const known = prioritiesIn(lane);
    const inLevel = async (level: number): Promise<Job | null> => {
      if (!known.includes(level)) return null;
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
    };
    return await Promise.all(priorities.map(inLevel));
  }

  /** From a random point on, around the end of the lane. */
  #diceRanges({ slots }: Lane, from: number): readonly [Range, Range | null] {
    const to = from + (this.#joins ? fullScan(slots) : localScan(slots));
    return [{ from, to: Math.min(1, to) }, to > 1 ? { from: 0, to: Math.min(from, to - 1) } : null];
  }

  /** By level first, in the turn's order, then by lane. */
  #best(perLane: readonly Fronts[]): Job | null {
    for (const level of priorityOrder(this.cursor.turn)) {
      for (const found of perLane) {
        const job = found[level] ?? null;
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
    const home = this.#readHome(laneId);
    this.#homes.set(laneId, home);
    return home;
  }

  /** One that joins may have none yet: to look whose home is next to it would collide with all that join there. */
  async #readHome(laneId: Id<"lanes">): Promise<readonly Range[]> {
    const { _id: workerId, position } = this.#worker;
    if (this.#joins && (await homeOf(this.#ctx, workerId, laneId)) === null) return [];
    const [next] = await following(this.#ctx, "homes", laneId, position, 1);
    return arcOf(position, next?.position ?? position);
  }

  async #known(laneId: Id<"lanes">): Promise<Lane | undefined> {
    if (this.#sticky?._id === laneId) return this.#sticky;
    return (await this.matching()).find(({ _id }) => _id === laneId);
  }

  #fits(lane: Lane): boolean {
    return lane.scope === this.#worker.scope && matches(this.#worker, lane.kind, lane.requirements);
  }
}
