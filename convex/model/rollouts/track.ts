import { deviceStateOf, hasBegun, type RolloutDeviceState } from "../../../app/models/rollout/device.ts";
import { rankOf } from "../../../app/models/rollout/stages.ts";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import type { DeviceModel } from "../validators/devices.ts";
import { openRollouts, rowOfDevice } from "./find.ts";

type Device = Pick<Doc<"devices">, "_id" | "organizationId">;

/** Notes in the open roll-outs what a device newly told of its models. Each device writes only its own rows. */
export async function noteModels(
  ctx: MutationCtx,
  device: Device,
  before: readonly DeviceModel[],
  after: readonly DeviceModel[],
): Promise<void> {
  for (const rollout of await openRollouts(ctx, device.organizationId)) {
    const inList = (models: readonly DeviceModel[]): DeviceModel | undefined =>
      models.find(({ modelId }) => modelId === rollout.modelId);
    const [was, is] = [inList(before), inList(after)];
    if (was !== is) await noteReport(ctx, rollout, device._id, is);
  }
}

/** Notes the state of a roll-out's model on a device. It writes only what changed. */
export async function noteReport(
  ctx: MutationCtx,
  rollout: Doc<"modelRollouts">,
  deviceId: Id<"devices">,
  report: DeviceModel | undefined,
): Promise<void> {
  const row = await rowOfDevice(ctx, rollout._id, deviceId);
  const begun = row?.begun === true || hasBegun(report);
  // A device that began while the stages of an old model are planned began before the roll-out.
  const had = row?.had === true || (rollout.state === "planning" && !rollout.isNew && hasBegun(report));
  const next = deviceStateOf(report, row?.failedJobs ?? 0);
  const { state, why } = row?.state === "failed" && isFailureKept(rollout, next.state) ? row : next;
  if (row === null) {
    if (state === "none") return;
    const { _id: rolloutId, organizationId, modelId } = rollout;
    const ids = { organizationId, rolloutId, deviceId, rank: rankOf(modelId, deviceId) };
    const told = { state, ...(why === undefined ? {} : { why }) };
    await ctx.db.insert("modelRolloutDevices", { ...ids, ...told, begun, had, failedJobs: 0, recount: true });
    return;
  }
  if (row.state === state && row.why === why && row.begun === begun && row.had === had) return;
  await ctx.db.patch("modelRolloutDevices", row._id, { state, why, begun, had, recount: true });
}

/**
 * Whether a device that failed stays listed as failed. A stopped roll-out lists its failures until a person decides,
 * although a device tries again, or forgets a model that it may no longer download.
 */
function isFailureKept({ state }: Pick<Doc<"modelRollouts">, "state">, next: RolloutDeviceState): boolean {
  return state === "stopped" && next !== "ready" && next !== "failed";
}

/** Notes that a job of a model failed on a device. @param report what the device told of the model last. */
export async function noteFailedJob(
  ctx: MutationCtx,
  rollout: Doc<"modelRollouts">,
  deviceId: Id<"devices">,
  report: DeviceModel | undefined,
): Promise<void> {
  await noteReport(ctx, rollout, deviceId, report);
  const row = await rowOfDevice(ctx, rollout._id, deviceId);
  if (row === null) return;
  const failedJobs = row.failedJobs + 1;
  const { state, why } = deviceStateOf(report, failedJobs);
  await ctx.db.patch("modelRolloutDevices", row._id, { failedJobs, state, why, recount: true });
}
