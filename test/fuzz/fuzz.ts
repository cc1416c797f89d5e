import fc from "fast-check";
import { keepInput, keptInputs } from "./kept-inputs.ts";
import type { Json, OpenTarget } from "./target.ts";

export type FuzzResult = {
  readonly inputs: number;
  /** Null if every input was handled. */
  readonly failure: { readonly input: Json; readonly error: string; readonly keptIn: string | null } | null;
};

type FuzzOptions = {
  /** How long random inputs are tried. */
  readonly seconds: number;
  /** How many random inputs are tried at most. */
  readonly inputs?: number;
  readonly seed: number;
  readonly keep: boolean;
};

/**
 * Tries the kept and the known inputs of a target, then random ones until there were enough or the time is over. A failing input is shrunk
 * to a small one within the same time, and kept.
 */
export async function fuzz(
  name: string,
  { inputs, known, check, checkEnd }: OpenTarget,
  { seconds, inputs: most = Number.MAX_SAFE_INTEGER, seed, keep }: FuzzOptions,
): Promise<FuzzResult> {
  let tried = 0;
  const property = fc.asyncProperty(inputs, async (input) => {
    tried += 1;
    await check(input);
  });
  const details = await fc.check(property, {
    seed,
    numRuns: most,
    // oxlint-disable-next-line typescript/no-deprecated -- the types of its replacement fit no property
    interruptAfterTimeLimit: seconds * 1_000,
    examples: [...keptInputs(name), ...known].map((input): [Json] => [input]),
  });
  if (details.counterexample !== null) {
    const [input] = details.counterexample;
    const error = words(details.errorInstance);
    return { inputs: tried, failure: { input, error, keptIn: keep ? keepInput(name, input) : null } };
  }
  try {
    await checkEnd?.();
  } catch (error) {
    return { inputs: tried, failure: { input: null, error: `at the end: ${words(error)}`, keptIn: null } };
  }
  return { inputs: tried, failure: null };
}

function words(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
