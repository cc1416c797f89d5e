import type { Capabilities, Speed } from "../../shared/validators.ts";
import { boundedInteger, boundedName, boundedNumber } from "./bounds.ts";
import { defined } from "./load.ts";
import { refuse } from "./refuse.ts";

/** The most jobs that one worker may hold. */
export const maxHeld = 16;

/** How many jobs a worker runs at once, and how many it may hold. The default is one. */
export function capacityOf(capabilities: Capabilities | undefined): {
  readonly running: number;
  readonly held: number;
} {
  const running = Math.min(maxHeld, capabilities?.concurrency ?? 1);
  return { running, held: Math.min(maxHeld, running + (capabilities?.prefetch ?? 0)) };
}

const maxListed = 64;

/** Checks a list of names from outside. Returns it sorted and without duplicates. */
export function names(list: readonly string[] | undefined, what: string): string[] {
  const unique = [...new Set(list)].sort();
  if (unique.length > maxListed) refuse("invalid", `${what} can have at most ${String(maxListed)} entries.`);
  for (const name of unique) boundedName(name, `Each of ${what}`);
  return unique;
}

/** Checks the capabilities that a worker reports, and returns them in canonical form. Refuses: invalid. */
export function checkedCapabilities(reported: Capabilities): Capabilities {
  const { kinds, models, tags, contexts, concurrency, prefetch, speeds } = reported;
  const { memoryMb, vramMb, gpu, contextTokens } = reported;
  if (memoryMb !== undefined) boundedNumber(memoryMb, "capabilities.memoryMb", 0, 1e9);
  if (vramMb !== undefined) boundedNumber(vramMb, "capabilities.vramMb", 0, 1e9);
  if (contextTokens !== undefined) boundedNumber(contextTokens, "capabilities.contextTokens", 0, 1e9);
  if (concurrency !== undefined) boundedInteger(concurrency, "capabilities.concurrency", 1, maxHeld);
  if (prefetch !== undefined) boundedInteger(prefetch, "capabilities.prefetch", 0, maxHeld);
  return {
    kinds: names(kinds, "capabilities.kinds"),
    ...defined({ memoryMb, vramMb, gpu, contextTokens, concurrency, prefetch }),
    ...(contexts === undefined ? {} : { contexts: checkedContexts(contexts) }),
    ...(speeds === undefined ? {} : { speeds: checkedSpeeds(speeds) }),
    ...(models === undefined ? {} : { models: names(models, "capabilities.models") }),
    ...(tags === undefined ? {} : { tags: names(tags, "capabilities.tags") }),
  };
}

function checkedContexts(contexts: Contexts): Contexts {
  const what = "capabilities.contexts";
  const listed = names(
    contexts.map(({ model }) => model),
    what,
  );
  if (listed.length < contexts.length) refuse("invalid", `${what} names a model twice.`);
  for (const { contextTokens } of contexts) boundedNumber(contextTokens, what, 0, 1e9);
  return contexts.toSorted((a, b) => (a.model < b.model ? -1 : 1));
}

/** The highest speed that a worker may report, in units a second. */
const maxSpeed = 1e9;
const maxSetupMs = 3_600_000;

function checkedSpeeds(speeds: readonly Speed[]): Speed[] {
  const what = "capabilities.speeds";
  const listed = names(
    speeds.map(({ of }) => of),
    what,
  );
  if (listed.length < speeds.length) refuse("invalid", `${what} names a model or kind twice.`);
  for (const { inputPerSecond, outputPerSecond, setupMs = 0 } of speeds) {
    boundedNumber(inputPerSecond, `${what} (inputPerSecond)`, 0, maxSpeed);
    boundedNumber(outputPerSecond, `${what} (outputPerSecond)`, 0, maxSpeed);
    boundedNumber(setupMs, `${what} (setupMs)`, 0, maxSetupMs);
  }
  return speeds.toSorted((a, b) => (a.of < b.of ? -1 : 1));
}

type Contexts = NonNullable<Capabilities["contexts"]>;

/**
 * Whether two capabilities let a worker run the same jobs: they are equal, apart from the times before its next jobs. Both must be in the
 * form that `checkedCapabilities` returns.
 */
export function sameAbility(a: Capabilities | undefined, b: Capabilities): boolean {
  return sameCapabilities(a && withoutSetup(a), withoutSetup(b));
}

function withoutSetup(capabilities: Capabilities): Capabilities {
  const { speeds } = capabilities;
  if (speeds === undefined) return capabilities;
  return { ...capabilities, speeds: speeds.map(({ setupMs: _, ...speed }) => speed) };
}

/** Whether two capabilities are equal. Both must be in the form that `checkedCapabilities` returns. */
export function sameCapabilities(a: Capabilities | undefined, b: Capabilities): boolean {
  const keys = Object.keys({ ...a, ...b }) as (keyof Capabilities)[];
  return a !== undefined && keys.every((key) => JSON.stringify(a[key]) === JSON.stringify(b[key]));
}
