import { isDeepStrictEqual } from "node:util";
import type { Value } from "convex/values";
import type { Step } from "./arbitrary.ts";
import type { Outcome } from "./backend.ts";
import type { Operation } from "./convex/program.ts";
import type { Trace } from "./execute.ts";

/** The first difference between two backends, as deep in the program as known. */
export type Difference = {
  readonly at: string;
  /** The operation, if a single operation differs. */
  readonly operation: Operation | null;
  readonly step: Step | null;
  readonly embedded: unknown;
  readonly convexTest: unknown;
};

/** The first difference of two traces of one program; null if they agree. */
export function firstDifference(
  program: readonly Step[],
  embedded: Trace,
  convexTest: Trace,
): Difference | null {
  for (let n = 0; n < Math.max(embedded.length, convexTest.length); n += 1) {
    const [ours, theirs] = [embedded[n], convexTest[n]];
    if (isDeepStrictEqual(plain(ours), plain(theirs))) continue;
    const at = ours?.at ?? theirs?.at ?? "nowhere";
    const step = program[Number(/^step (\d+)/.exec(at)?.[1])] ?? null;
    const operations = operationsAt(step, at);
    const whole = { at, operation: null, step, embedded: ours?.outcome, convexTest: theirs?.outcome };
    if (operations === null) return whole;
    return within(whole, operations, resultsOf(ours?.outcome), resultsOf(theirs?.outcome));
  }
  return null;
}

/** The operations at this place. Undefined for a page. */
function operationsAt(step: Step | null, at: string): readonly Operation[] | null {
  if (step?.kind !== "pages") return step?.operations ?? null;
  return step.pages[Number(/, after page (\d+)$/.exec(at)?.[1])]?.then ?? null;
}

function within(
  outer: Difference,
  operations: readonly Operation[],
  ours: readonly Value[] | null,
  theirs: readonly Value[] | null,
): Difference {
  if (ours === null || theirs === null) return outer;
  const n = operations.findIndex((_, index) => !isDeepStrictEqual(plain(ours[index]), plain(theirs[index])));
  const operation = operations[n];
  if (operation === undefined) return outer;
  const here = { ...outer, operation, embedded: ours[n], convexTest: theirs[n] };
  if (operation.do !== "nested") return here;
  return within(here, operation.operations, listIn(ours[n]), listIn(theirs[n]));
}

function resultsOf(outcome: Outcome | undefined): readonly Value[] | null {
  if (outcome?.kind !== "value") return null;
  const { results } = outcome.value as { results?: Value[] };
  return results ?? null;
}

function listIn(result: Value | undefined): readonly Value[] | null {
  const { value } = (result ?? {}) as { value?: Value };
  return Array.isArray(value) ? value : null;
}

/** Converts to objects without prototypes and bytes as lists, which Node compares by value. -0 stays -0. */
function plain(value: unknown): unknown {
  if (value instanceof ArrayBuffer) return { bytes: [...new Uint8Array(value)] };
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, plain(each)]));
}
