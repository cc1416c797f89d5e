import { z } from "zod";
import type { Rules } from "./rules.ts";

const mebibytes = z
  .number()
  .int()
  .min(0)
  .max(16 * 2 ** 20);
const threads = z.number().int().min(1).max(256);
const minuteOfDay = z.number().int().min(0).max(1_440);
const names = z.array(z.string().trim().min(1).max(200)).max(100);

/** The bounds of every rule: of the settings file, the panel's calls and the organization's policy alike. */
const bounds = {
  requireIdle: z.boolean(),
  idleAfterSeconds: z.number().int().min(10).max(86_400),
  idleWhenLocked: z.boolean(),
  allowDonateNow: z.boolean(),
  inUse: z
    .object({ mode: z.enum(["off", "limited"]), threads, gpu: z.boolean(), memoryMb: mebibytes })
    .strict(),
  idle: z.object({ threads: threads.nullable(), gpu: z.boolean(), memoryMb: mebibytes.nullable() }).strict(),
  gpus: z.array(z.object({ index: z.number().int().min(0).max(63), allow: z.boolean() }).strict()).max(64),
  schedule: z
    .array(
      z
        .object({
          days: z.array(z.number().int().min(0).max(6)).min(1).max(7),
          fromMinute: minuteOfDay,
          toMinute: minuteOfDay,
        })
        .strict(),
    )
    .max(50)
    .nullable(),
  allowOnBattery: z.boolean(),
  batteryFloorPercent: z.number().int().min(0).max(100),
  maxTemperatureC: z.number().int().min(40).max(110).nullable(),
  quiet: z.boolean(),
  maxOtherCpuLoad: z.number().min(0.05).max(1),
  otherCpuLoadHysteresis: z.number().min(0).max(1),
  maxOtherGpuLoad: z.number().min(0.05).max(1),
  minFreeMemoryMb: mebibytes,
  excludedPrograms: names,
  holdOnFullScreen: z.boolean(),
  holdOnCall: z.boolean(),
  holdOnMedia: z.boolean(),
  allowMetered: z.boolean(),
  requiredNetworks: names,
  downloadKbps: z.number().int().min(8).max(10_000_000).nullable(),
  networkBudgetMbPerDay: mebibytes.nullable(),
  diskQuotaMb: mebibytes,
  minFreeDiskMb: mebibytes,
  modelWarmSeconds: z.number().int().min(0).max(86_400),
  shareModels: z.boolean(),
} as const satisfies { readonly [Name in keyof Rules]: z.ZodType<Rules[Name]> };

/** Some of the rules, each within its bounds; a rule that is not known is refused. */
export const someRules = z.object(bounds).partial().strict();

export const ruleName = z.enum(Object.keys(bounds) as [keyof Rules, ...(keyof Rules)[]]);
