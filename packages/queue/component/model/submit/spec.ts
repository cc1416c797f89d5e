import type { JobSpec, Requirements } from "../../../shared/validators.ts";
import {
  boundedContext,
  boundedHandle,
  boundedInteger,
  boundedName,
  boundedNumber,
  farthestMs,
} from "../bounds.ts";
import { checkPolicy } from "../configure.ts";
import { refuse } from "../refuse.ts";

const maxListed = 16;
const maxExceptWorkers = 200;
const maxDependencies = 100;
/** Overdue attempts are found when leases are checked, which is about this often. */
const shortestAttemptMs = 60_000;
const maxUnits = 1e12;

/** Checks a job, except for its payload's size, which depends on the settings. Refuses: invalid, too_large. */
export function checkSpec(spec: JobSpec): void {
  boundedName(spec.kind, "kind");
  for (const name of [
    "requester",
    "key",
    "affinity",
    "apart",
    "idempotencyKey",
    "fingerprint",
    "externalId",
  ] as const) {
    const value = spec[name];
    if (value !== undefined) boundedName(value, name);
  }
  if (spec.requirements !== undefined) checkRequirements(spec.requirements);
  if (spec.delayMs !== undefined) boundedNumber(spec.delayMs, "delayMs", 0, farthestMs);
  if (spec.attemptMs !== undefined) boundedNumber(spec.attemptMs, "attemptMs", shortestAttemptMs, farthestMs);
  if (spec.size !== undefined) {
    boundedNumber(spec.size.input, "size.input", 0, maxUnits);
    boundedNumber(spec.size.output, "size.output", 0, maxUnits);
    boundedNumber(spec.size.setupMs ?? 0, "size.setupMs", 0, farthestMs);
    boundedNumber(spec.size.likelyOutput ?? 0, "size.likelyOutput", 0, spec.size.output);
  }
  for (const name of ["expiresAt", "deadlineAt"] as const) {
    const at = spec[name];
    if (at !== undefined) boundedNumber(at, name, 0, Number.MAX_SAFE_INTEGER);
  }
  if (spec.after !== undefined && spec.after.jobs.length > maxDependencies) {
    refuse("invalid", `A job can wait for at most ${String(maxDependencies)} others.`);
  }
  if ((spec.exceptWorkers ?? []).length > maxExceptWorkers) {
    refuse("invalid", `A job can be kept from at most ${String(maxExceptWorkers)} workers.`);
  }
  if (spec.policy !== undefined) checkPolicy(spec.policy);
  boundedHandle(spec.onFinal, "onFinal");
  boundedHandle(spec.onClaim, "onClaim");
  boundedContext(spec.context);
}

function checkRequirements({
  model,
  memoryMb,
  vramMb,
  contextTokens,
  dataClass,
  ...lists
}: Requirements): void {
  if (model !== undefined) boundedName(model, "requirements.model");
  if (dataClass !== undefined) boundedName(dataClass, "requirements.dataClass");
  if (memoryMb !== undefined) boundedNumber(memoryMb, "requirements.memoryMb", 0, 1e9);
  if (vramMb !== undefined) boundedNumber(vramMb, "requirements.vramMb", 0, 1e9);
  if (contextTokens !== undefined) {
    boundedInteger(contextTokens, "requirements.contextTokens", 0, 1e9);
  }
  for (const [what, list] of [
    ["requirements.tags", lists.tags],
    ["requirements.groups", lists.groups],
    ["requirements.labels", lists.labels],
  ] as const) {
    if (list === undefined) continue;
    if (list.length > maxListed) refuse("invalid", `${what} can have at most ${String(maxListed)} entries.`);
    for (const entry of list) boundedName(entry, `Each of ${what}`);
  }
}
