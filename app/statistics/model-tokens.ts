import type { EndedJob } from "./fold.ts";
import { mostSubjects, otherSubject } from "./tally.ts";

type Tokens = { readonly promptTokens: number; readonly completionTokens: number };

/** The tokens of a model's jobs. */
export type ModelTokens = { subject: string; promptTokens: number; completionTokens: number };

/** The tokens of the jobs that each device answered, by model. */
export function tokensOfDevices(jobs: readonly EndedJob[]): Map<string, ModelTokens[]> {
  const byDevice = new Map<string, ModelTokens[]>();
  for (const { attempts, model: subject, usage } of jobs) {
    const device = attempts.find(({ status }) => status === "succeeded")?.device ?? null;
    if (device === null || usage === null) continue;
    const { promptTokens, completionTokens } = usage;
    const known = byDevice.get(device) ?? [];
    byDevice.set(device, mergeModelTokens([known, [{ subject, promptTokens, completionTokens }]]));
  }
  return byDevice;
}

/** The sum for each model, the largest first. Beyond those that a bucket tells apart, the smaller ones are left out. */
export function mergeModelTokens(lists: readonly (readonly ModelTokens[])[]): ModelTokens[] {
  const sums = new Map<string, ModelTokens>();
  for (const { subject, promptTokens, completionTokens } of lists.flat()) {
    const sum = sums.get(subject) ?? { subject, promptTokens: 0, completionTokens: 0 };
    sum.promptTokens += promptTokens;
    sum.completionTokens += completionTokens;
    sums.set(subject, sum);
  }
  return [...sums.values()]
    .sort((a, b) => tokensOf(b) - tokensOf(a) || (a.subject < b.subject ? -1 : 1))
    .slice(0, mostSubjects);
}

/** The tokens by model, with those that no model is known of under the subject "". */
export function withOthers(
  { promptTokens, completionTokens }: Tokens,
  models: readonly ModelTokens[],
): ModelTokens[] {
  const rest = { subject: otherSubject, promptTokens, completionTokens };
  for (const model of models) {
    rest.promptTokens -= model.promptTokens;
    rest.completionTokens -= model.completionTokens;
  }
  return tokensOf(rest) === 0 ? [...models] : [...models, rest];
}

function tokensOf({ promptTokens, completionTokens }: Tokens): number {
  return promptTokens + completionTokens;
}
