import type { Doc, Id, QueryCtx } from "../../builders.ts";
import type { Stand } from "../../validators.ts";
import { idOf } from "../load.ts";
import { refuse } from "../refuse.ts";
import { wakingArcs, type Range } from "../rings/arcs.ts";
import { standsByKey, standView } from "../rings/membership.ts";
import { following } from "../rings/neighbours.ts";
import { authenticate } from "../workers/authenticate.ts";
import { isAvoided } from "./avoid.ts";

const shown = 8;
const shownPerArc = 4;
/** Jobs looked at in one arc and level: some may be such that the worker leaves to others. */
const scanned = 16;
const maxStands = 256;

export type Candidate = { jobId: string; laneId: string; late: boolean };

/**
 * The jobs that a waiting worker is woken for. Two stages: the worker, its stands and those next to them, all at once;
 * then its arcs of the ready jobs. Reads nothing of other workers but the two stands that follow each of its own,
 * so it runs again when one of those comes or goes, and when a job comes into its arcs.
 * @param args.stands as the worker knows them, since its own have to be read first otherwise.
 */
export async function candidates(
  ctx: QueryCtx,
  args: { readonly keyHash: string; readonly stands: readonly Stand[] },
): Promise<{ stands: Stand[]; jobs: Candidate[] }> {
  const { keyHash } = args;
  if (args.stands.length > maxStands) refuse("invalid", `At most ${String(maxStands)} stands a call.`);
  const [worker, own, lanes] = await Promise.all([
    authenticate(ctx, keyHash),
    standsByKey(ctx, keyHash),
    Promise.all(
      args.stands.map(async ({ laneId: given, position }) => {
        const laneId = idOf(ctx, "lanes", given);
        if (laneId === null) return null;
        const [lane, after] = await Promise.all([
          ctx.db.get("lanes", laneId),
          following(ctx, "stands", laneId, position, 2),
        ]);
        return { laneId, position, open: lane !== null && lane.state !== "paused", after };
      }),
    ),
  ]);
  const stands = own.map(standView);
  if (worker.status !== "active") return { stands, jobs: [] };
  // Only where it really waits: a stand that was taken from it wakes it no more.
  const waiting = lanes
    .filter((lane) => lane !== null)
    .filter(
      ({ laneId, position, open }) =>
        open && own.some((stand) => stand.laneId === laneId && stand.position === position),
    );
  const found = await Promise.all(
    waiting.flatMap(({ laneId, position, after }) => {
      const arcs = wakingArcs(
        position,
        after.map((stand) => stand.position),
      );
      return [0, 1, 2].flatMap((level) => [
        ...arcs.own.map((range) => readyIn(ctx, worker, laneId, level, range, false)),
        ...arcs.late.map((range) => readyIn(ctx, worker, laneId, level, range, true)),
      ]);
    }),
  );
  const jobs = found
    .flat()
    .sort((a, b) => Number(a.late) - Number(b.late) || a.job.level - b.job.level || a.job.rank - b.job.rank)
    .slice(0, shown)
    .map(({ job, late }) => ({ jobId: job._id, laneId: job.laneId, late }));
  return { stands, jobs };
}

async function readyIn(
  ctx: QueryCtx,
  worker: Doc<"workers">,
  laneId: Id<"lanes">,
  level: number,
  { from, to }: Range,
  late: boolean,
): Promise<{ readonly job: Doc<"jobs">; readonly late: boolean }[]> {
  const found: { readonly job: Doc<"jobs">; readonly late: boolean }[] = [];
  let looked = 0;
  const ready = ctx.db
    .query("jobs")
    .withIndex("by_place", (q) =>
      q.eq("laneId", laneId).eq("status", "ready").eq("level", level).gte("place", from).lt("place", to),
    );
  for await (const job of ready) {
    if (!(await isAvoided(ctx, job, worker))) found.push({ job, late });
    looked += 1;
    if (found.length === shownPerArc || looked === scanned) break;
  }
  return found;
}
