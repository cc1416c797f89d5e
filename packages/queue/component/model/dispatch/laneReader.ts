import type { Doc, Id, QueryCtx } from "../builders.ts";
import { payloadOf } from "../jobs/payloads.ts";
import { lastAttemptOf } from "../jobs/rows.ts";
import { remembered } from "../load.ts";
import { priorities, prioritiesIn } from "../priority.ts";
import { arcOf, type Range } from "../rings/arcs.ts";
import { homeOf } from "../rings/membership.ts";
import { following } from "../rings/neighbors.ts";
import { patienceMs, rateFor } from "../speed.ts";
import { type AssignableJob, hasJustReleased, isOverdue } from "./assign.ts";
import { isAvoided } from "./avoid.ts";
import { compareSeats, fullScan, localScan, stretchesOf } from "./scans.ts";

/** The most jobs read in one range to find one that the worker does not avoid. */
const maxRead = 32;

type Lane = Doc<"lanes">;
type Job = Doc<"jobs">;
/** The first job of each priority. */
export type FirstJobs = readonly (Job | null)[];

/** Reads lanes for one worker's search. Remembers the answers, so nothing is read twice. */
export class LaneReader {
  readonly #ctx: QueryCtx;
  readonly #worker: Doc<"workers">;
  readonly #now: number;
  readonly #joins: boolean;
  readonly #homes = new Map<Id<"lanes">, Promise<readonly Range[]>>();
  readonly #atHome = new Map<Id<"lanes">, Promise<FirstJobs>>();
  readonly #samples = {
    ready: new Map<Id<"lanes">, Promise<FirstJobs>>(),
    prefetched: new Map<Id<"lanes">, Promise<FirstJobs>>(),
  };
  /** Jobs that were found, or turned out to be unsuitable. */
  readonly #done = new Set<Id<"jobs">>();

  /** @param joins whether the worker starts to ask for jobs: it then scans more of a lane. */
  constructor(ctx: QueryCtx, worker: Doc<"workers">, now: number, joins: boolean) {
    this.#ctx = ctx;
    this.#worker = worker;
    this.#now = now;
    this.#joins = joins;
  }

  /**
   * Takes a job that was found, so that its lane is read again.
   * @returns null if the worker cannot have it: it was purged, just released by the worker, or prefetched by it.
   */
  async take(job: Job): Promise<AssignableJob | null> {
    this.#done.add(job._id);
    const [payload, last] = await Promise.all([
      payloadOf(this.#ctx, job._id),
      job.attempts === 0 ? null : lastAttemptOf(this.#ctx, job._id),
    ]);
    for (const known of [this.#atHome, this.#samples.ready, this.#samples.prefetched]) {
      known.delete(job.laneId);
    }
    const released = hasJustReleased(this.#worker, last, this.#now);
    const own = job.status === "prefetched" && last?.workerId === this.#worker._id;
    return payload === null || released || own ? null : { job, payload: payload.payload };
  }

  /** The first jobs in the worker's home. @param served the ring position that was served last. */
  atHome(lane: Lane, served: number, maxStretches: number): Promise<FirstJobs> {
    return remembered(this.#atHome, lane._id, () => this.#readHome(lane, served, maxStretches));
  }

  async #readHome(lane: Lane, served: number, maxStretches: number): Promise<FirstJobs> {
    const home = await this.#homeOf(lane._id);
    const stretches = stretchesOf(home, lane.slots, served, Math.random, maxStretches);
    return await this.#ofEachPriority(lane, async (priority) => {
      const found = await Promise.all(
        stretches.map(async ({ from, split, to }) => {
          const [after, before] = await Promise.all([
            this.#firstAt(lane, priority, { from: split, to }),
            this.#firstAt(lane, priority, { from, to: split }),
          ]);
          return after ?? before;
        }),
      );
      const [first = null] = found
        .filter((job) => job !== null)
        .sort((a, b) => compareSeats(a.place, b.place, served) || a.rank - b.rank);
      return first;
    });
  }

  /**
   * The first jobs from a random sample key on, around the end of the lane. Every job has the same chance, so the
   * fullest homes lose most, and two thieves rarely meet.
   */
  sample(lane: Lane, status: "ready" | "prefetched"): Promise<FirstJobs> {
    return remembered(this.#samples[status], lane._id, () => this.#readSample(lane, status));
  }

  async #readSample(lane: Lane, status: "ready" | "prefetched"): Promise<FirstJobs> {
    const from = Math.random();
    const to = from + (this.#joins ? fullScan(lane.slots) : localScan(lane.slots));
    const first = { from, to: Math.min(1, to) };
    const second = to > 1 ? { from: 0, to: Math.min(from, to - 1) } : null;
    return await this.#ofEachPriority(lane, async (priority) => {
      const read = (range: Range) =>
        this.#firstSuitable(
          lane,
          this.#ctx.db
            .query("jobs")
            .withIndex("by_dice", (q) =>
              q
                .eq("laneId", lane._id)
                .eq("status", status)
                .eq("level", priority)
                .gte("dice", range.from)
                .lt("dice", range.to),
            ),
        );
      const [after, before] = await Promise.all([read(first), second === null ? null : read(second)]);
      return after ?? before;
    });
  }

  async #ofEachPriority(lane: Lane, read: (priority: number) => Promise<Job | null>): Promise<FirstJobs> {
    const used = prioritiesIn(lane);
    return await Promise.all(
      priorities.map(async (priority) => (used.includes(priority) ? await read(priority) : null)),
    );
  }

  async #firstAt(lane: Lane, priority: number, { from, to }: Range): Promise<Job | null> {
    if (from >= to) return null;
    return await this.#firstSuitable(
      lane,
      this.#ctx.db
        .query("jobs")
        .withIndex("by_place", (q) =>
          q
            .eq("laneId", lane._id)
            .eq("status", "ready")
            .eq("level", priority)
            .gte("place", from)
            .lt("place", to),
        ),
    );
  }

  /** Reads no further than to the first suitable job, because a mutation conflicts on everything that it reads. */
  async #firstSuitable(lane: Lane, jobs: AsyncIterable<Job>): Promise<Job | null> {
    let read = 0;
    for await (const job of jobs) {
      if (await this.#suits(lane, job)) return job;
      read += 1;
      if (read === maxRead) return null;
    }
    return null;
  }

  async #suits(lane: Lane, job: Job): Promise<boolean> {
    if (this.#done.has(job._id) || isOverdue(job, this.#now)) return false;
    const own = rateFor(this.#worker.capabilities, lane);
    if (this.#now - (job.readyAt ?? 0) < patienceMs(job.size, own, lane.rate)) return false;
    return !(await isAvoided(this.#ctx, job, this.#worker));
  }

  /** Whether the worker has a part of the lane's ring. */
  async hasHome(laneId: Id<"lanes">): Promise<boolean> {
    return (await this.#homeOf(laneId)).length > 0;
  }

  #homeOf(laneId: Id<"lanes">): Promise<readonly Range[]> {
    return remembered(this.#homes, laneId, () => this.#homeIn(laneId));
  }

  /** A joining worker may have no home yet. Reading its neighbor would conflict with all that join there. */
  async #homeIn(laneId: Id<"lanes">): Promise<readonly Range[]> {
    const { _id: workerId, position } = this.#worker;
    if (this.#joins && (await homeOf(this.#ctx, workerId, laneId)) === null) return [];
    const [next] = await following(this.#ctx, "homes", laneId, position, 1);
    return arcOf(position, next?.position ?? position);
  }
}
