import type { Facts } from "../facts/facts.ts";
import { formatMebibytes, formatShare, plural } from "../format/quantity.ts";
import type { Activity } from "./decision.ts";
import type { Limits } from "./declare/activity.ts";
import type { Rules } from "./rules.ts";
import { isWarm } from "./rules/heat.ts";
import { restingSince } from "./rules/idleness.ts";
import { deniedGpus, type IdleLimits } from "./rules/limits.ts";
import { isGpuFree } from "./rules/load.ts";

/** The duty cycle when quiet or in use. A model's weights fill the caches, which slows programs on all processors. */
const gentleDutyCycle = 0.5;

/**
 * The limits while donating. They never exceed the rules for a computer in use or idle, and are narrower while it has to be
 * quiet, is warm, or others use the GPU. In use it works half of the time, and not while somebody types.
 * @param state for the hysteresis of warmth and of the GPU's load.
 */
export function limitsFor(state: Activity, facts: Facts, rules: Rules, use: "inUse" | "idle"): Limits {
  const { threads, gpu: allowed, memoryMb } = rules[use];
  const gpu = allowed && isGpuFree(facts, rules, wasGpuFree(state, rules));
  return {
    threads,
    gpu,
    gpuHeldBy: gpu || !allowed ? undefined : facts.otherGpuLoad.known ? "others" : "unknown",
    deniedGpus: deniedGpus(rules.gpus),
    memoryMb,
    dutyCycle: dutyCycle(state, facts, rules, use === "inUse"),
    confined: use === "inUse",
    stillSince: use === "inUse" ? restingSince(state, facts) : null,
  };
}

export function sameLimits(one: Limits, other: Limits): boolean {
  return (
    one.threads === other.threads &&
    one.gpu === other.gpu &&
    one.gpuHeldBy === other.gpuHeldBy &&
    one.memoryMb === other.memoryMb &&
    one.dutyCycle === other.dutyCycle &&
    one.confined === other.confined &&
    one.stillSince === other.stillSince &&
    one.deniedGpus.length === other.deniedGpus.length &&
    one.deniedGpus.every((index, at) => index === other.deniedGpus[at])
  );
}

const gpuWords = {
  others: "Other programs use the graphics card.",
  unknown: "It is unknown whether other programs use the graphics card, so jobs do not use it.",
} as const;

/** Limits in a list, for people who know no threads and no MiB. A rule's own words are those in which it is typed. */
export function limitWords({ threads, gpu, memoryMb }: IdleLimits): string {
  const cores =
    threads === null
      ? "all processor cores but one"
      : plural(threads, ["# processor core", "# processor cores"]);
  const card = gpu ? "the graphics card" : "no graphics card";
  const memory = memoryMb === null ? "all free memory" : `${formatMebibytes(memoryMb)} of memory`;
  return `${cores}, ${card}, ${memory}`;
}

/** Describes the current limits of a donating computer in a sentence. */
export function sayLimits({ gpuHeldBy, dutyCycle, stillSince, ...limits }: Limits): string {
  if (stillSince !== null) return "Waits while you type or move the mouse.";
  const words = limitWords(limits);
  const may =
    dutyCycle === 1 ? `May use ${words}.` : `May use ${words}, ${formatShare(dutyCycle)} of the time.`;
  return gpuHeldBy === undefined ? may : `${may} ${gpuWords[gpuHeldBy]}`;
}

function wasGpuFree(state: Activity, rules: Rules): boolean | null {
  if (state.kind === "standby") return null;
  // A rule kept the GPU off, so ignore its last state for the hysteresis.
  if (state.reason === "within-limits" && !rules.inUse.gpu) return null;
  return state.limits.gpu;
}

function dutyCycle(state: Activity, facts: Facts, rules: Rules, inUse: boolean): number {
  const wasWarm =
    state.kind === "donating"
      ? state.limits.dutyCycle < calmDutyCycle(rules, state.limits.confined)
      : state.reason === "too-hot";
  const calm = calmDutyCycle(rules, inUse);
  return isWarm(facts, rules, wasWarm) ? calm / 2 : calm;
}

function calmDutyCycle({ quiet }: Rules, inUse: boolean): number {
  return quiet || inUse ? gentleDutyCycle : 1;
}
