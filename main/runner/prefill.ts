import type { LlamaContextSequence, Token } from "node-llama-cpp";
import type { Pace } from "./pace.ts";
import type { PrefillSlices } from "./prefill-slices.ts";

/** Reads a prompt slice by slice, since llama.cpp cannot be interrupted within one. False when it was aborted. */
export async function prefill(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  work: { readonly slices: PrefillSlices; readonly signal: AbortSignal; readonly pace: Pace },
): Promise<boolean> {
  const { slices, signal, pace } = work;
  for (let at = 0; at < tokens.length;) {
    const wait = pace();
    if (wait !== null) await wait;
    if (signal.aborted) return false;
    const slice = tokens.slice(at, at + slices.size);
    const startedAt = performance.now();
    await sequence.evaluateWithoutGeneratingNewTokens(slice);
    slices.measured(slice.length, performance.now() - startedAt);
    at += slice.length;
  }
  return !signal.aborted;
}
