import type { LlamaContextSequence, Token } from "node-llama-cpp";
import type { Pace } from "../process/duty-cycle.ts";
import type { PrefillSlices } from "./prefill-slices.ts";

export type PrefillWork = {
  readonly slices: PrefillSlices;
  readonly signal: AbortSignal;
  readonly pace: Pace;
};

/** Reads a prompt slice by slice, since llama.cpp cannot be interrupted within one. False when it was aborted. */
export async function prefill(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  work: PrefillWork,
): Promise<boolean> {
  const rest = await prefillUntil(sequence, tokens, work, () => 0);
  return rest !== null;
}

/**
 * All but the last slice, which is returned: read together with what is generated after it, it saves a step. At least
 * one token; null when it was aborted.
 */
export async function prefillButLastSlice(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  work: PrefillWork,
): Promise<readonly Token[] | null> {
  return prefillUntil(sequence, tokens, work, () => work.slices.size);
}

async function prefillUntil(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  { slices, signal, pace }: PrefillWork,
  left: () => number,
): Promise<readonly Token[] | null> {
  let at = 0;
  for (;;) {
    const wait = pace();
    if (wait !== null) await wait;
    if (signal.aborted) return null;
    if (tokens.length - at <= left()) return tokens.slice(at);
    const slice = tokens.slice(at, at + slices.size);
    const startedAt = performance.now();
    await sequence.evaluateWithoutGeneratingNewTokens(slice);
    slices.measured(slice.length, performance.now() - startedAt);
    at += slice.length;
  }
}
