import type { Doc, Id, QueryCtx } from "../../builders.ts";
import type { Stand } from "../../validators.ts";
import { authenticate } from "../authenticate.ts";
import { idOf, inPieces } from "../load.ts";
import { slotOf } from "../placement.ts";
import { prioritiesIn } from "../priority.ts";
import { refuse } from "../refuse.ts";
import { type Range, wakingArcs } from "../rings/arcs.ts";
import { subscriptionOf, waitersByKey } from "../rings/membership.ts";
import { following } from "../rings/neighbors.ts";
import { widenAtBacklog } from "../spreads/width.ts";
import { isAvoided } from "./avoid.ts";

const maxShown = 8;
const maxShownPerArc = 4;
/** Jobs looked at in one range and level: some may be such that the worker leaves to others. */
const maxRead = 16;
const maxSubscriptions = 128;
/** Lanes looked at together. */
const lanesAtOnce = 16;

export type Candidate = {
  jobId: string;
  laneId: string;
  late: boolean;
  held?: boolean;
  crowded?: boolean;
};

/**
 * The jobs that a waiting worker is woken for: those of its own arcs, which is where it steals, too: what stands there
 * may be at the home of one that is at work. `late` are the next one's, and what others hold ahead and have not begun.
 * Two stages: the worker, its stands and those next to them, all at once; then the arcs. Reads nothing of other workers
 * but the two stands that follow each of its own, and not what it holds itself: so it runs again when one of those comes
 * or goes, and when a job comes into its arcs or leaves them, but not because of what it is handed.
 * @param args.stands as the worker knows them: those that it does not know take one stage more.
 */
export async function candidates(
  ctx: QueryCtx,
  args: { readonly keyHash: string; readonly stands: readonly Stand[] },
): Promise<{ stands: Stand[]; jobs: Candidate[] }> {
  const { keyHash } = args;
  if (args.stands.length > maxSubscriptions)
    refuse("invalid", `At most ${String(maxSubscriptions)} stands a call.`);
  const [worker, own, known] = await Promise.all([
    authenticate(ctx, keyHash),
    waitersByKey(ctx, keyHash),
    Promise.all(
      args.stands.map((stand) => lookAtLane(ctx, idOf(ctx, "lanes", stand.laneId), stand.position)),
    ),
  ]);
  const stands = own.map(subscriptionOf);
  if (worker.status !== "active") return { stands, jobs: [] };
  // Only where it really waits: a stand that was taken from it wakes it no more.
  const waiting = await Promise.all(
    own.map(async ({ laneId, position }) => {
      const seen = known.find((lane) => lane?.laneId === laneId && lane.position === position);
      return seen ?? (await lookAtLane(ctx, laneId, position));
    }),
  );
  const found = await inPieces(waiting, lanesAtOnce, async (lane) => {
    if (lane?.open !== true) return [];
    const { laneId, levels, position, after } = lane;
    const { own, late } = wakingArcs(
      position,
      after.map((stand) => stand.position),
    );
    const reads = levels.flatMap((level) => [
      ...own.map((range) => jobsIn(ctx, worker, laneId, "ready", level, range, false)),
      ...late.map((range) => jobsIn(ctx, worker, laneId, "ready", level, range, true)),
      ...own.map((range) => jobsIn(ctx, worker, laneId, "prefetched", level, range, true)),
    ]);
    return (await Promise.all(reads)).flat();
  });
  const all = found.flat();
  const jobs = all
    .sort((a, b) => Number(a.late) - Number(b.late) || a.job.level - b.job.level)
    .slice(0, maxShown)
    .map(({ job, late }) => ({
      jobId: job._id,
      laneId: job.laneId,
      late,
      ...(job.status === "prefetched" ? { held: true } : {}),
      ...(isCrowded(job, all) ? { crowded: true } : {}),
    }));
  return { stands, jobs };
}

/** Whether more of its affinity wait at its slot than one slot can hand out soon. */
function isCrowded(job: Doc<"jobs">, among: readonly { readonly job: Doc<"jobs"> }[]): boolean {
  if (job.affinity === undefined) return false;
  const others = among.filter(
    ({ job: other }) =>
      other._id !== job._id &&
      other.status === "ready" &&
      other.laneId === job.laneId &&
      other.affinity === job.affinity &&
      slotOf(other.place) === slotOf(job.place),
  );
  return others.length >= widenAtBacklog;
}

type LaneLook = {
  readonly laneId: Id<"lanes">;
  readonly position: number;
  readonly open: boolean;
  readonly levels: readonly number[];
  readonly after: Awaited<ReturnType<typeof following>>;
};

async function lookAtLane(
  ctx: QueryCtx,
  laneId: Id<"lanes"> | null,
  position: number,
): Promise<LaneLook | null> {
  if (laneId === null) return null;
  const [lane, after] = await Promise.all([
    ctx.db.get("lanes", laneId),
    following(ctx, "stands", laneId, position, 2),
  ]);
  const levels = lane === null ? [] : prioritiesIn(lane);
  return { laneId, position, open: lane !== null && lane.state !== "paused", levels, after };
}

async function jobsIn(
  ctx: QueryCtx,
  worker: Doc<"workers">,
  laneId: Id<"lanes">,
  status: "ready" | "prefetched",
  level: number,
  { from, to }: Range,
  late: boolean,
): Promise<{ readonly job: Doc<"jobs">; readonly late: boolean }[]> {
  const found: { readonly job: Doc<"jobs">; readonly late: boolean }[] = [];
  let looked = 0;
  const jobs = ctx.db
    .query("jobs")
    .withIndex("by_place", (q) =>
      q.eq("laneId", laneId).eq("status", status).eq("level", level).gte("place", from).lt("place", to),
    )
    // From either end: the old ones are found as well, while the one whose home it is takes those first.
    .order(Math.random() < 0.5 ? "asc" : "desc");
  for await (const job of jobs) {
    if (!(await isAvoided(ctx, job, worker))) found.push({ job, late });
    looked += 1;
    if (found.length === maxShownPerArc || looked === maxRead) break;
  }
  return found;
}
