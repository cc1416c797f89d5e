import type { SensedFact } from "../../facts/facts.ts";
import { formatExactMebibytes, plural } from "../../format/quantity.ts";
import type { Rule, ValuesOf } from "../declare/rule.ts";

export type IdleLimits = {
  /** null: the number of physical cores minus one. */
  readonly threads: number | null;
  readonly gpu: boolean;
  /** In MiB; null: all free memory. */
  readonly memoryMb: number | null;
};

export type InUseLimits = {
  readonly mode: "off" | "limited";
  readonly threads: number;
  readonly gpu: boolean;
  readonly memoryMb: number;
};

/** By the system's index. A GPU that is not named is allowed. */
export type GpuChoices = readonly { readonly index: number; readonly allow: boolean }[];

const idle: Rule<IdleLimits> = {
  section: "gives",
  title: "While idle",
  hint: "The limits while nobody uses it.",
  default: { threads: null, gpu: true, memoryMb: null },
  field: { kind: "idle" },
  say: sayLimits,
};

const inUse: Rule<InUseLimits> = {
  section: "gives",
  title: "While in use",
  hint: "Nothing, or work within these limits: half of the time, and not while you type.",
  default: { mode: "off", threads: 1, gpu: false, memoryMb: 2_048 },
  field: { kind: "inUse" },
  say: (value) => (value.mode === "off" ? /* @wc-include */ "nothing" : sayLimits(value)),
};

const gpus: Rule<GpuChoices> = {
  section: "gives",
  title: "Excluded GPUs",
  hint: "The system's numbers, from 0. Only CUDA can exclude single GPUs. Without CUDA, no GPU is used then.",
  default: [],
  field: { kind: "gpus" },
  say: (value) => deniedGpus(value).join(", ") || /* @wc-include */ "none",
};

/** The limits of an idle computer and of a computer in use. */
export const limitRules = { idle, inUse, gpus };

type LimitRules = ValuesOf<typeof limitRules>;

/** The facts to sample for the limits: those about the GPU, where the rules use one. */
export function limitNeeds({ idle, inUse }: Pick<LimitRules, "idle" | "inUse">): readonly SensedFact[] {
  return idle.gpu || (inUse.mode === "limited" && inUse.gpu) ? ["otherGpuLoad", "vramFreeMb"] : [];
}

export function deniedGpus(gpus: GpuChoices): readonly number[] {
  return gpus.filter(({ allow }) => !allow).map(({ index }) => index);
}

function sayLimits({ threads, gpu, memoryMb }: IdleLimits): string {
  const cores = threads === null ? "all cores but one" : plural(threads, ["# thread", "# threads"]);
  const memory = memoryMb === null ? "all free memory" : `${formatExactMebibytes(memoryMb)} of memory`;
  return `${cores}, ${gpu ? "GPU" : "no GPU"}, ${memory}`;
}
