import type { Cursor } from "../../../shared/validators.ts";
import type { Doc, Id, QueryCtx } from "../builders.ts";
import { matches } from "../lanes/requirements.ts";
import { inPieces } from "../load.ts";
import { othersFirst, priorityOrder } from "../priority.ts";
import type { AssignableJob } from "./assign.ts";
import { type FirstJobs, LaneReader } from "./laneReader.ts";
import { compareSeats, maxStretches } from "./scans.ts";

/** The number of lanes that are read in parallel. */
const lanesAtOnce = 16;
/** The most stretches that are read in all lanes except the usual one, together; at least one in each. */
const stretchesOfOthers = 64;
/** A worker's first search starts here. */
export const noCursor: Cursor = { laneId: null, place: 0, turn: 0 };

type Lane = Doc<"lanes">;
type Job = Doc<"jobs">;

/** `isSteal`: whether the job was found beyond the worker's part of the ring, or in another worker's reserve. */
export type FoundJob = AssignableJob & { readonly isSteal: boolean };

/** One worker's search for jobs. It only reads. */
export class Search {
  readonly #ctx: QueryCtx;
  readonly #worker: Doc<"workers">;
  readonly #joins: boolean;
  readonly #reader: LaneReader;
  /** The lane that the worker used last. */
  #sticky: Lane | null;
  #matching: Promise<readonly Lane[]> | undefined;
  cursor: Cursor;

  /**
   * @param sticky the cursor's lane, read in parallel with the worker; null without a lane.
   * @param joins whether the worker starts to ask for jobs. It then searches further, also among prefetched jobs.
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
    this.#joins = joins;
    this.#reader = new LaneReader(ctx, worker, now, joins);
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
   * The next job; null if none is found. Jobs at home come first, then ready jobs of others, then prefetched ones. At
   * home a requester has its turn in all lanes at once; among jobs of one requester and priority the usual lane wins.
   * Stages of reads: the home, its jobs, the payload. One more to read other lanes, and one for a theft.
   */
  async next(steals: boolean): Promise<FoundJob | null> {
    for (;;) {
      const found = await this.#find(steals);
      if (found === null) return null;
      const { job, isSteal } = found;
      const taken = await this.#reader.take(job);
      if (taken === null) continue;
      this.cursor = { laneId: job.laneId, place: job.place, turn: (this.cursor.turn + 1) % 65_536 };
      this.#sticky = (await this.#known(job.laneId)) ?? this.#sticky;
      return { ...taken, isSteal };
    }
  }

  async #find(steals: boolean): Promise<{ readonly job: Job; readonly isSteal: boolean } | null> {
    const atHome = await this.#atHome();
    if (atHome !== null) return { job: atHome, isSteal: false };
    const groups = await this.#groups();
    for (const lanes of groups) {
      const found = await this.#sample(lanes, "ready");
      // A worker that has just joined may have no part of the ring yet, so the job need not be another's.
      if (found !== null) return { job: found, isSteal: await this.#reader.hasHome(found.laneId) };
    }
    const held = steals && this.#joins ? await this.#sample(groups.flat(), "prefetched") : null;
    return held === null ? null : { job: held, isSteal: true };
  }

  /** The lanes in the turn's order: usually the worker's usual lane first, in each 8th turn last. */
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
   * The next of the first jobs at home: by priority, then by seat. A requester has the same seats in all lanes, so
   * its jobs in the usual lane do not hold up another requester's job in another lane.
   */
  async #atHome(): Promise<Job | null> {
    const { place, turn } = this.cursor;
    const sticky = this.#openSticky();
    const [own, others] = await Promise.all([
      sticky === null ? null : this.#reader.atHome(sticky, place, maxStretches),
      this.#others().then(async (lanes) => {
        const most = Math.max(1, Math.min(maxStretches, Math.floor(stretchesOfOthers / lanes.length)));
        return await inPieces(lanes, lanesAtOnce, (lane) => this.#reader.atHome(lane, place, most));
      }),
    ]);
    const lanes = othersFirst(turn) ? [...others, own] : [own, ...others];
    for (const priority of priorityOrder(turn)) {
      const [first] = lanes
        .map((jobs) => jobs?.[priority] ?? null)
        .filter((job) => job !== null)
        // Stable: among equals the first lane wins.
        .sort((a, b) => compareSeats(a.place, b.place, place));
      if (first !== undefined) return first;
    }
    return null;
  }

  async #sample(lanes: readonly Lane[], status: "ready" | "prefetched"): Promise<Job | null> {
    return this.#best(await inPieces(lanes, lanesAtOnce, (lane) => this.#reader.sample(lane, status)));
  }

  /** By priority in the turn's order, then by lane. */
  #best(perLane: readonly FirstJobs[]): Job | null {
    for (const priority of priorityOrder(this.cursor.turn)) {
      for (const found of perLane) {
        const job = found[priority] ?? null;
        if (job !== null) return job;
      }
    }
    return null;
  }

  async #known(laneId: Id<"lanes">): Promise<Lane | undefined> {
    if (this.#sticky?._id === laneId) return this.#sticky;
    return (await this.matching()).find(({ _id }) => _id === laneId);
  }

  #fits(lane: Lane): boolean {
    return lane.scope === this.#worker.scope && matches(this.#worker, lane.kind, lane.requirements);
  }
}
