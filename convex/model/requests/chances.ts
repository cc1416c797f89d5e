import type { WorkerView } from "@gleaner/queue/validators";
import {
  type Chances,
  gpuOf,
  type KnownDevice,
  noChances,
  refusalWords,
  type WantedDevice,
  withDevice,
} from "../../../app/jobs/chances.ts";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { queue } from "../queue.ts";
import { refuse } from "../refuse.ts";

/** The devices that are read, online ones first. Mostly the first one could answer, which ends the search. */
const pageSizes = [1, 20, 100, 200, 300] as const;

/**
 * Refuses (no_device) a call that waits for its answer if no device of the organization could give it. In a larger fleet than is
 * read, nobody is refused.
 */
export async function checkDevices(
  ctx: MutationCtx,
  organizationId: Id<"organizations">,
  wanted: WantedDevice,
  now: number,
): Promise<void> {
  let chances: Chances = noChances;
  let cursor: string | null = null;
  for (const numItems of pageSizes) {
    const found: { readonly page: readonly WorkerView[]; readonly isDone: boolean; continueCursor: string } =
      await queue.workers.list(ctx, organizationId, { paginationOpts: { numItems, cursor } });
    chances = found.page.reduce((sum, worker) => withDevice(sum, knownDevice(worker), wanted, now), chances);
    if (chances.able > 0) return;
    if (found.isDone) {
      const why = refusalWords(chances, wanted);
      if (why !== null) refuse("no_device", why);
      return;
    }
    cursor = found.continueCursor;
  }
}

/** The devices of an organization, or a part of a larger fleet. `isWhole`: whether these are all of them. */
export type KnownFleet = { readonly devices: readonly KnownDevice[]; readonly isWhole: boolean };

/** At most this many devices are read, online ones first. */
export async function knownFleet(
  ctx: QueryCtx,
  organizationId: Id<"organizations">,
  most: number,
): Promise<KnownFleet> {
  const which = { paginationOpts: { numItems: most, cursor: null } };
  const { page, isDone } = await queue.workers.list(ctx, organizationId, which);
  return { devices: page.map(knownDevice), isWhole: isDone };
}

function knownDevice({
  status,
  online,
  lastChangeAt: lastSeenAt,
  groups,
  labels: tags,
  dataClasses,
  capabilities,
  reported,
  allowedCapabilities,
}: WorkerView): KnownDevice {
  const { gpu, gpuMemory } = gpuOf(reported);
  const mayUseGpu = allowedCapabilities?.gpu !== false;
  return {
    inService: status === "active",
    online,
    lastSeenAt,
    groups,
    tags,
    dataClasses,
    kinds: capabilities?.kinds ?? null,
    models: capabilities === null ? null : (capabilities.models ?? []),
    allowedModels: allowedCapabilities?.models ?? null,
    memoryMb: capabilities?.memoryMb ?? null,
    gpu: gpu && mayUseGpu,
    gpuMemory: gpuMemory && mayUseGpu,
  };
}
