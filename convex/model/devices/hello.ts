import type { Infer } from "convex/values";
import { times } from "../../../app/jobs/limits.ts";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx } from "../../_generated/server.js";
import { releaseAll } from "../jobs/release.ts";
import { lifeOf } from "../jobs/unfit.ts";
import { renew } from "../leases/renew.ts";
import { boundedInteger, boundedText, refuse } from "../refuse.ts";
import type { capabilities } from "../validators.ts";

const maxModels = 32;
const maxNameChars = 200;
const maxVersionChars = 40;
const maxThreads = 4_096;
const maxMemoryMb = 64 * 1024 * 1024;

export type Greeting = {
  readonly version: string;
  readonly capabilities: Infer<typeof capabilities>;
  /** The device's program has just started: whatever it held in a former life is given back. */
  readonly startup?: boolean;
};

/** A device (re)connects, or its models changed. */
export async function hello(
  ctx: MutationCtx,
  device: Doc<"devices">,
  greeting: Greeting,
  now: number,
): Promise<{ leaseMs: number }> {
  const { threads, memoryMb, models } = greeting.capabilities;
  if (models.length > maxModels) refuse("invalid", `A device offers at most ${String(maxModels)} models.`);
  const able = {
    threads: boundedInteger(threads, "threads", 0, maxThreads),
    memoryMb: boundedInteger(memoryMb, "memoryMb", 0, maxMemoryMb),
    models: [...new Set(models.map((model) => boundedText(model, "A model's id", maxNameChars)))].sort(),
  };
  const version = boundedText(greeting.version, "The version", maxVersionChars);
  await renew(ctx, device, now);
  const changed =
    device.version !== version ||
    JSON.stringify(ordered(device.capabilities)) !== JSON.stringify(ordered(able));
  if (changed) await ctx.db.patch("devices", device._id, { version, capabilities: able, lastChangeAt: now });
  if (changed || greeting.startup === true) {
    await ctx.db.patch("devices", device._id, { life: lifeOf(device) + 1 });
  }
  if (greeting.startup === true) await releaseAll(ctx, device, "restarted", now);
  return { leaseMs: times.leaseMs };
}

const ordered = ({ threads, memoryMb, models }: Infer<typeof capabilities>): readonly unknown[] => [
  threads,
  memoryMb,
  models,
];
