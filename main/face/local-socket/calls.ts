import { z } from "zod";
import { calls } from "../../../app/contract/donor-calls.ts";
import { explanation } from "../../journal/explain.ts";

const instant = z.number().int().min(0).max(8_640_000_000_000_000);
const nothing = z.null();
const perSecond = z.number().min(0);

const knownValue = z.union([z.number(), z.boolean(), z.string(), z.null(), z.array(z.string())]);
const known = z.union([
  z.object({ known: z.literal(true), value: knownValue }),
  z.object({ known: z.literal(false) }),
]);

/** How the donor stands, for people and programs at a terminal. Never the text of a job. */
const status = z.object({
  version: z.string(),
  shell: z.enum(["desktop", "headless"]),
  pid: z.number().int(),
  connection: z.enum(["connecting", "online", "offline"]),
  organization: z.string().nullable(),
  device: z.string().nullable(),
  activity: z.object({
    kind: z.enum(["donating", "holding"]),
    reason: z.string(),
    since: instant,
    short: z.string(),
    sentence: z.string(),
    /** While it donates: what it gives, in a sentence. */
    gives: z.string().nullable(),
  }),
  recheckAt: instant.nullable(),
  pause: z.object({ until: instant.nullable() }).nullable(),
  donateNowUntil: instant.nullable(),
  finishing: z.boolean(),
  job: z
    .object({ attemptId: z.string(), modelId: z.string(), phase: z.string(), startedAt: instant })
    .nullable(),
});

const fact = z.object({
  name: z.string(),
  fact: known,
  /** Where it comes from; null where that is not told. */
  source: z.string().nullable(),
  /** When it was read. */
  at: instant.nullable(),
});

const model = z.object({
  modelId: z.string(),
  sizeBytes: z.number().int().min(0),
  state: z.string(),
  downloadedBytes: z.number().int().min(0).nullable(),
  why: z.string().nullable(),
  /** Ms since the epoch; null: never, or not counted. */
  lastUsedAt: instant.nullable(),
  /** Tokens per second that it reads and writes here, as measured so far. */
  speed: z.object({ prefill: perSecond, generate: perSecond, backend: z.string() }).nullable(),
});

const rules = z.object({
  rules: z.array(
    z.object({
      name: z.string(),
      value: z.unknown(),
      /** The value in words. */
      words: z.string(),
      from: z.enum(["default", "donor", "organization"]),
      locked: z.boolean(),
    }),
  ),
});

/** A model measured on this device: tokens per second that it reads and writes, one job at a time. */
const measurement = z.discriminatedUnion("kind", [
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
]);

/** What one may ask of a running donor from outside: each call's argument and answer, for both sides. */
export const controlCalls = {
  status: { argument: nothing, answer: status },
  facts: { argument: nothing, answer: z.object({ facts: z.array(fact) }) },
  /** Not before `until`; null: not before somebody resumes. */
  pause: { argument: z.object({ until: instant.nullable() }), answer: status },
  /** Ends a pause and a "donate now". */
  resume: { argument: nothing, answer: status },
  donateNow: { argument: z.object({ minutes: z.number().int().min(1).max(1_440) }), answer: status },
  /** Finishes the job under way, takes no other, then pauses. */
  finish: { argument: nothing, answer: status },
  /** All rules as they hold; the donor's own ones are set, and left to the other layers again, as in the panel. */
  rules: { argument: nothing, answer: rules },
  setRules: { argument: calls.setRules.argument, answer: rules },
  resetRules: { argument: calls.resetRules.argument, answer: rules },
  explain: { argument: z.object({ since: instant }), answer: explanation },
  models: { argument: nothing, answer: z.object({ models: z.array(model) }) },
  removeModel: {
    argument: z.object({ modelId: z.string().min(1).max(200) }),
    answer: z.object({ models: z.array(model) }),
  },
  /** Takes back a removal, and tries again what had failed. */
  fetchModel: {
    argument: z.object({ modelId: z.string().min(1).max(200) }),
    answer: z.object({ models: z.array(model) }),
  },
  /** Measures models with the donor's own runner; null: all that are here. Takes a while. */
  bench: {
    argument: z.object({ modelId: z.string().min(1).max(200).nullable() }),
    answer: z.object({ models: z.array(measurement) }),
  },
} as const;

export type ControlCall = keyof typeof controlCalls;
export type ControlArgument<Call extends ControlCall> = z.infer<(typeof controlCalls)[Call]["argument"]>;
export type ControlAnswer<Call extends ControlCall> = z.infer<(typeof controlCalls)[Call]["answer"]>;

/** Why not, in a sentence for who asked. */
export type Refusal = { readonly kind: "refused"; readonly message: string };
export type ControlReply<Call extends ControlCall> =
  { readonly kind: "ok"; readonly value: ControlAnswer<Call> } | Refusal;

/** What a donor implements; the channel only carries it. `gone`: who asked is no longer there to be answered. */
export type ControlHandlers = {
  readonly [Call in ControlCall]: (
    argument: ControlArgument<Call>,
    gone: AbortSignal,
  ) => Promise<ControlReply<Call>> | ControlReply<Call>;
};

/** One line each way: a request, and the reply with its number. */
export const requestLine = z.object({
  id: z.number().int().min(0),
  call: z.string().max(40),
  argument: z.unknown(),
});

export const replyLine = z.object({
  id: z.number().int().min(0),
  reply: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("ok"), value: z.unknown() }),
    z.object({ kind: z.literal("refused"), message: z.string() }),
  ]),
});
