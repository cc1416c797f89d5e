import { changesText } from "../../../app/audit/changes.ts";
import { type DeviceLimits, limitBounds } from "../../../app/devices/limits.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { type Act, actorName, record } from "../audit.ts";
import { relist } from "../fleet/listing.ts";
import { queue } from "../queue.ts";
import { boundedInteger, boundedText, refuse } from "../refuse.ts";

const maxNameChars = 120;

/**
 * Sets what a device may do, in place of earlier limits. Its jobs go on, and from now on it gets no others than these allow.
 * Refuses: invalid.
 */
export async function limitDevice(
  ctx: MutationCtx,
  { _id: deviceId, organizationId, workerId, limits: before = {} }: Doc<"devices">,
  given: DeviceLimits,
  by: Act,
): Promise<void> {
  const limits = checked(given);
  const { maxConcurrentJobs, ...allowed } = limits;
  await ctx.db.patch("devices", deviceId, { limits: Object.keys(limits).length === 0 ? undefined : limits });
  await queue.workers.update(ctx, organizationId, {
    workerId,
    allowedCapabilities: Object.keys(allowed).length === 0 ? null : allowed,
    maxConcurrentJobs: maxConcurrentJobs ?? null,
    actor: actorName(by.actor),
  });
  await relist(ctx, deviceId);
  const detail = changesText([
    ["models", before.models, limits.models],
    ["GPU", before.gpu, limits.gpu],
    ["memory (MB)", before.memoryMb, limits.memoryMb],
    ["jobs at once", before.maxConcurrentJobs, limits.maxConcurrentJobs],
  ]);
  if (detail === "") return;
  await record(ctx, { organizationId, ...by, action: "device.limited", subject: deviceId, detail });
}

function checked({
  kinds,
  models,
  gpu,
  memoryMb,
  contextTokens,
  maxConcurrentJobs,
}: DeviceLimits): DeviceLimits {
  if (models !== undefined && models.length > limitBounds.models)
    refuse("invalid", `A device can be limited to at most ${String(limitBounds.models)} models.`);
  return {
    ...(kinds === undefined ? {} : { kinds: [...new Set(kinds)].sort() }),
    ...(models === undefined
      ? {}
      : { models: [...new Set(models.map((model) => boundedText(model, "A model", maxNameChars)))].sort() }),
    ...(gpu === false ? { gpu } : {}),
    ...(memoryMb === undefined
      ? {}
      : { memoryMb: boundedInteger(memoryMb, "memoryMb", 1, limitBounds.memoryMb) }),
    ...(contextTokens === undefined
      ? {}
      : { contextTokens: boundedInteger(contextTokens, "contextTokens", 1, limitBounds.contextTokens) }),
    ...(maxConcurrentJobs === undefined
      ? {}
      : {
          maxConcurrentJobs: boundedInteger(
            maxConcurrentJobs,
            "maxConcurrentJobs",
            1,
            limitBounds.maxConcurrentJobs,
          ),
        }),
  };
}
