import type { Doc, Id } from "../../_generated/dataModel.js";
import type { QueryCtx } from "../../_generated/server.js";
import { isUnfit } from "./unfit.ts";

/** How many candidates a device is shown, and how many jobs are looked at to find them. */
export const shownCandidates = 8;
const scannedPerLane = 32;
/** Devices looked at to find another that could run a job. */
const scannedDevices = 100;

/**
 * Ready jobs that the device can run: by rank, then the oldest. A job that this device was the last to
 * fail or lose is left out while another device that donates has its lane; one whose model it could
 * not run, until it has started again or its capabilities have changed.
 * @param wanted stops at so many: a mutation reads (and so collides on) no more than it needs.
 */
export async function candidatesFor(
  ctx: QueryCtx,
  device: Doc<"devices">,
  wanted: number,
): Promise<Doc<"jobs">[]> {
  if (device.status !== "active") return [];
  const found: Doc<"jobs">[] = [];
  const elsewhere = new Map<string, boolean>();
  for (const lane of device.capabilities.models) {
    let scanned = 0;
    let taken = 0;
    const ready = ctx.db
      .query("jobs")
      .withIndex("by_candidate", (q) =>
        q.eq("organizationId", device.organizationId).eq("lane", lane).eq("status", "ready"),
      );
    for await (const job of ready) {
      scanned += 1;
      if (!(await isAvoided(ctx, job, device, elsewhere))) {
        found.push(job);
        taken += 1;
      }
      if (taken >= wanted || scanned >= scannedPerLane) break;
    }
  }
  return found.sort((a, b) => a.rank - b.rank || a.submittedAt - b.submittedAt).slice(0, wanted);
}

async function isAvoided(
  ctx: QueryCtx,
  job: Doc<"jobs">,
  device: Doc<"devices">,
  elsewhere: Map<string, boolean>,
): Promise<boolean> {
  if (isUnfit(job, device)) return true;
  if (job.lastFailedDeviceId !== device._id) return false;
  const known = elsewhere.get(job.lane);
  if (known !== undefined) return known;
  const another = await anotherCouldRun(ctx, job.organizationId, job.lane, device._id);
  elsewhere.set(job.lane, another);
  return another;
}

async function anotherCouldRun(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  lane: string,
  except: Id<"devices">,
): Promise<boolean> {
  const online = await ctx.db
    .query("devices")
    .withIndex("by_organization_online", (q) => q.eq("organizationId", organizationId).eq("online", true))
    .take(scannedDevices);
  return online.some(
    (other) =>
      other._id !== except &&
      other.status === "active" &&
      other.activity?.kind === "donating" &&
      other.capabilities.models.includes(lane),
  );
}
