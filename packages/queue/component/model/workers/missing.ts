import type { MissingRequirement, Requirements } from "../../../shared/validators.ts";
import type { Doc, QueryCtx } from "../builders.ts";
import { reportOf } from "./allowed.ts";

/** Beyond this number of workers nobody is refused. */
const maxRead = 1_000;

type Check = { readonly missing: MissingRequirement; readonly isMet: (worker: Doc<"workers">) => boolean };

/**
 * The first requirement that no worker could ever meet, offline and paused ones included; null if one worker could meet all.
 * Models and contexts do not count, since workers load them.
 */
export async function missingIn(
  ctx: QueryCtx,
  scope: string,
  needs: Requirements,
  gpuTags: readonly string[],
): Promise<MissingRequirement | null> {
  const checks = checksOf(needs, gpuTags);
  if (checks.length === 0) return null;
  const met = new Set<Check>();
  let read = 0;
  const workers = ctx.db
    .query("workers")
    .withIndex("by_online", (q) => q.eq("scope", scope))
    .order("desc");
  // One after the other, because mostly the first one ends the search.
  for await (const worker of workers) {
    read += 1;
    if (read > maxRead) return null;
    if (worker.status === "retired") continue;
    const here = checks.filter(({ isMet }) => isMet(worker));
    if (here.length === checks.length) return null;
    for (const check of here) met.add(check);
  }
  return checks.find((check) => !met.has(check))?.missing ?? { of: "together" };
}

function checksOf(
  { groups = [], labels = [], dataClass = "", gpu = false, memoryMb = 0, vramMb = 0 }: Requirements,
  gpuTags: readonly string[],
): Check[] {
  const ofGroups: Check = {
    missing: { of: "groups" },
    isMet: (worker) => groups.some((group) => worker.groups.includes(group)),
  };
  const ofClass: Check = {
    missing: { of: "dataClass", name: dataClass },
    isMet: (worker) => worker.dataClasses.includes(dataClass),
  };
  const ofGpu: Check = { missing: { of: "gpu" }, isMet: (worker) => mayHaveGpu(worker, gpuTags) };
  const ofMemory: Check = {
    missing: { of: "memoryMb" },
    isMet: (worker) => mostMemoryMb(worker) >= memoryMb,
  };
  return [
    ...(groups.length > 0 ? [ofGroups] : []),
    ...labels.map((name): Check => ({
      missing: { of: "labels", name },
      isMet: (worker) => worker.labels?.includes(name) === true,
    })),
    ...(dataClass === "" ? [] : [ofClass]),
    // Free memory of a GPU comes and goes, so each worker that may have a GPU may have it later.
    ...(gpu || vramMb > 0 ? [ofGpu] : []),
    ...(memoryMb > 0 ? [ofMemory] : []),
  ];
}

/** A worker that has not reported it yet may have one. */
function mayHaveGpu(worker: Doc<"workers">, gpuTags: readonly string[]): boolean {
  if (worker.allowedCapabilities?.gpu === false) return false;
  const { gpu, tags = [] } = reportOf(worker) ?? {};
  return gpu !== false || tags.some((tag) => gpuTags.includes(tag));
}

function mostMemoryMb(worker: Doc<"workers">): number {
  return Math.min(reportOf(worker)?.memoryMb ?? Infinity, worker.allowedCapabilities?.memoryMb ?? Infinity);
}
