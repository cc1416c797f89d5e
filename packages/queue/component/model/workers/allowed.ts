import type { AllowedCapabilities, Capabilities } from "../../../shared/validators.ts";
import { boundedInteger, boundedNumber } from "../bounds.ts";
import type { Doc } from "../builders.ts";
import { maxHeld, names } from "../capabilities.ts";
import { defined } from "../load.ts";

// An organization's limits for a worker. The worker's report is kept, so limits can be widened without a new report.

/** `maxConcurrentJobs`: the most jobs that the worker holds at once, so it never runs more. */
export type Limits = {
  readonly allowedCapabilities?: AllowedCapabilities | undefined;
  readonly maxConcurrentJobs?: number | undefined;
};

/** Checks limits from outside. Null means no limit. Refuses: invalid. */
export function checkedLimits({
  allowedCapabilities: allowed,
  maxConcurrentJobs: jobs,
}: {
  readonly allowedCapabilities?: AllowedCapabilities | null | undefined;
  readonly maxConcurrentJobs?: number | null | undefined;
}) {
  if (typeof jobs === "number") boundedInteger(jobs, "maxConcurrentJobs", 1, maxHeld);
  return {
    allowedCapabilities: allowed ? checkedAllowed(allowed) : undefined,
    maxConcurrentJobs: jobs ?? undefined,
  };
}

function checkedAllowed({
  kinds,
  models,
  tags,
  memoryMb,
  gpu,
  contextTokens,
}: AllowedCapabilities): AllowedCapabilities {
  const what = "allowedCapabilities";
  if (memoryMb !== undefined) boundedNumber(memoryMb, `${what}.memoryMb`, 0, 1e9);
  if (contextTokens !== undefined) boundedNumber(contextTokens, `${what}.contextTokens`, 0, 1e9);
  return defined({
    kinds: kinds && names(kinds, `${what}.kinds`),
    models: models && names(models, `${what}.models`),
    tags: tags && names(tags, `${what}.tags`),
    memoryMb,
    gpu,
    contextTokens,
  });
}

/** The limit that a worker is told, so that it does not ask for jobs that it can't get. */
export function heldLimit({ maxConcurrentJobs }: Limits): { readonly mostHeld?: number } {
  return defined({ mostHeld: maxConcurrentJobs });
}

/** What a worker reported last, before limits. */
export function reportOf({ reported, capabilities }: Doc<"workers">): Capabilities | undefined {
  return reported ?? capabilities;
}

/** The fields of a worker's row that follow from its report and its limits. */
export function limited(reported: Capabilities, limits: Limits) {
  const hasLimits = limits.allowedCapabilities !== undefined || limits.maxConcurrentJobs !== undefined;
  return { capabilities: cutTo(reported, limits), reported: hasLimits ? reported : undefined };
}

/**
 * The part of a report that the limits allow. Jobs held in reserve count as well: a worker decides by itself when it
 * starts them.
 */
export function cutTo(
  reported: Capabilities,
  { allowedCapabilities, maxConcurrentJobs }: Limits,
): Capabilities {
  const { kinds, models, tags, memoryMb, gpu, contextTokens } = allowedCapabilities ?? {};
  const most = maxConcurrentJobs ?? maxHeld;
  const concurrency = Math.min(reported.concurrency ?? 1, most);
  const cut: Capabilities = {
    ...reported,
    kinds: kept(reported.kinds, kinds),
    ...defined({
      models: reported.models && kept(reported.models, models),
      tags: reported.tags && kept(reported.tags, tags),
      memoryMb: least(reported.memoryMb, memoryMb),
      vramMb: least(reported.vramMb, gpu === false ? 0 : undefined),
      gpu: reported.gpu === undefined ? undefined : reported.gpu && gpu !== false,
      contextTokens: least(reported.contextTokens, contextTokens),
      contexts: reported.contexts?.map((each) => ({
        model: each.model,
        contextTokens: Math.min(each.contextTokens, contextTokens ?? each.contextTokens),
      })),
    }),
  };
  if (maxConcurrentJobs === undefined) return cut;
  return { ...cut, concurrency, prefetch: Math.min(reported.prefetch ?? 0, most - concurrency) };
}

function kept(reported: readonly string[], allowed: readonly string[] | undefined): string[] {
  return reported.filter((name) => allowed === undefined || allowed.includes(name));
}

function least(reported: number | undefined, allowed: number | undefined): number | undefined {
  return reported === undefined ? undefined : Math.min(reported, allowed ?? reported);
}
