import * as z from "zod";
import { confinement } from "./confinement.ts";
import { donorProblem } from "./membership.ts";

/** Ms since the epoch, up to the latest possible `Date`. */
export const instant = z.number().int().min(0).max(8_640_000_000_000_000);
const perSecond = z.number().min(0);

/** The donor's state, for people and programs at a terminal. Never the text of a job. */
export const status = z.object({
  version: z.string(),
  shell: z.enum(["desktop", "headless"]),
  pid: z.number().int(),
  connection: z.enum(["connecting", "online", "offline"]),
  organization: z.string().nullable(),
  /** The part of the organization's key that people compare, and why its list of models was refused. */
  organizationKey: z.string().nullable().optional(),
  organizationProblem: z.string().nullable().optional(),
  /** The version that the organization asks this program to be updated to. */
  askedVersion: z.string().nullable().optional(),
  device: z.string().nullable(),
  /** Why it cannot join or reach its organization. */
  problem: donorProblem.nullable().optional(),
  activity: z.object({
    kind: z.enum(["donating", "standby"]),
    reason: z.string(),
    since: instant,
    short: z.string(),
    sentence: z.string(),
    /** The limits of its donation, in a sentence. Null while it does not donate. */
    gives: z.string().nullable(),
  }),
  recheckAt: instant.nullable(),
  pause: z.object({ until: instant.nullable() }).nullable(),
  donateNowUntil: instant.nullable(),
  finishing: z.boolean(),
  /**
   * The hours of donation in the last seven days, and how many kept every promise to the person. Null before the donor has opened its
   * measurements; absent in answers of earlier versions.
   */
  comfort: z.object({ hours: z.int(), keptHours: z.int() }).nullish(),
  job: z
    .object({ attemptId: z.string(), modelId: z.string(), phase: z.string(), startedAt: instant })
    .nullable(),
});

const knownValue = z.union([z.number(), z.boolean(), z.string(), z.null(), z.array(z.string())]);

export const facts = z.object({
  /** How far the process with the model is confined. Null before its first start; older donors do not tell. */
  confinement: confinement.nullable().optional(),
  facts: z.array(
    z.object({
      name: z.string(),
      fact: z.union([
        z.object({ known: z.literal(true), value: knownValue }),
        z.object({ known: z.literal(false) }),
      ]),
      /** The program or file that reported it; null if it is not reported. */
      source: z.string().nullable(),
      /** When it was read. */
      at: instant.nullable(),
    }),
  ),
});

export const rules = z.object({
  rules: z.array(
    z.object({
      name: z.string(),
      value: z.unknown(),
      /** The value in words. */
      words: z.string(),
      from: z.enum(["default", "donor", "organization", "managed"]),
      locked: z.boolean(),
    }),
  ),
});

export const models = z.object({
  models: z.array(
    z.object({
      modelId: z.string(),
      sizeBytes: z.number().int().min(0),
      state: z.string(),
      downloadedBytes: z.number().int().min(0).nullable(),
      /** The reason why it is not ready, in words. */
      why: z.string().nullable(),
      /** Came with the program: it takes no space of the models' limit, and cannot be removed. Older donors do not tell. */
      isBundled: z.boolean().optional(),
      /** Null if it was never used, or if its use is not recorded. */
      lastUsedAt: instant.nullable(),
      /** The measured speed on this computer, in tokens per second. */
      speed: z.object({ prefill: perSecond, generate: perSecond, backend: z.string() }).nullable(),
    }),
  ),
});

/** This computer and where it connects to, for its person and for support. No secret. */
export const computer = z.object({
  /** The operating system with its version and its architecture. */
  system: z.string(),
  processor: z.string(),
  /** Threads of the processor. */
  threads: z.number().int().min(0),
  memoryMb: z.number().int().min(0),
  gpu: z.object({
    /** GPU memory that models may use, in MiB. Null if no GPU is used, or if it is unknown. */
    memoryMb: z.number().min(0).nullable(),
    /** The backends that models ran on, such as "cuda" or "cpu". */
    backends: z.array(z.string()),
  }),
  /** The origin of the backend's address. */
  backend: z.string().nullable(),
});

/** The speed of models on this device, in tokens per second, one job at a time. */
export const measurements = z.object({
  models: z.array(
    z.discriminatedUnion("kind", [
      z.object({
        kind: z.literal("measured"),
        modelId: z.string(),
        prefill: perSecond,
        generate: perSecond,
        backend: z.string(),
        gpuLayers: z.number(),
        loadMs: z.number(),
        threads: z.number(),
      }),
      z.object({ kind: z.literal("failed"), modelId: z.string(), why: z.string() }),
    ]),
  ),
});
