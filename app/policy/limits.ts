import { isWarm } from "./rules/heat.ts";
import { stillSince } from "./rules/input.ts";
import { isGpuCalm } from "./rules/load.ts";
import type { Activity, Limits } from "./decision.ts";
import type { Facts } from "../facts/facts.ts";
import type { Rules } from "./rules.ts";

/** Where it is to be quiet; and in use: weights that pass through the caches slow programs on other processors, too. */
const gentleDutyCycle = 0.5;

/**
 * What may be used while donating: never more than the rules' limits for a computer in use or idle, and less where
 * it is to be quiet, gets warm, or others use the GPU. In use, half of the time, and nothing while somebody types.
 * @param state for the hysteresis of warmth and of the GPU's load.
 */
export function limitsFor(state: Activity, facts: Facts, rules: Rules, use: "inUse" | "idle"): Limits {
  const { threads, gpu, memoryMb } = rules[use];
  return {
    threads,
    gpu: gpu && isGpuCalm(facts, rules, wasGpuCalm(state, rules)),
    deniedGpus: rules.gpus.filter(({ allow }) => !allow).map(({ index }) => index),
    memoryMb,
    dutyCycle: dutyCycle(state, facts, rules, use === "inUse"),
    confined: use === "inUse",
    stillSince: use === "inUse" ? stillSince(state, facts) : null,
  };
}

export function sameLimits(one: Limits, other: Limits): boolean {
  return (
    one.threads === other.threads &&
    one.gpu === other.gpu &&
    one.memoryMb === other.memoryMb &&
    one.dutyCycle === other.dutyCycle &&
    one.confined === other.confined &&
    one.stillSince === other.stillSince &&
    one.deniedGpus.length === other.deniedGpus.length &&
    one.deniedGpus.every((index, at) => index === other.deniedGpus[at])
  );
}

function wasGpuCalm(state: Activity, rules: Rules): boolean | null {
  if (state.kind === "holding") return null;
  // Then it was a rule that kept it off the GPU, whatever others did there.
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
