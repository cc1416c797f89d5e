import type { JobErrorCode } from "../../../app/jobs/chat.ts";
import type { Doc } from "../../_generated/dataModel.js";

type Unfit = NonNullable<Doc<"jobs">["unfit"]>;

/** Whether an error says that the device cannot run the model, and nothing of the job. */
export function saysUnfit(code: JobErrorCode): boolean {
  return code === "model_corrupt" || code === "model_unavailable";
}

/** Whether the device was unfit for this job before, in whatever life. */
export function wasUnfit(job: Doc<"jobs">, device: Doc<"devices">): boolean {
  return job.unfit?.some(({ deviceId }) => deviceId === device._id) ?? false;
}

/** Whether it was and nothing is new about it since: it has neither started again nor other capabilities. */
export function isUnfit(job: Doc<"jobs">, device: Doc<"devices">): boolean {
  return job.unfit?.some(({ deviceId, life }) => deviceId === device._id && life === lifeOf(device)) ?? false;
}

/** The job's list with the device in it. At most as long as a job survives failures: each entry is one. */
export function withUnfit(job: Doc<"jobs">, device: Doc<"devices">): Unfit {
  const others = (job.unfit ?? []).filter(({ deviceId }) => deviceId !== device._id);
  return [...others, { deviceId: device._id, life: lifeOf(device) }];
}

export function lifeOf(device: Doc<"devices">): number {
  return device.life ?? 0;
}
