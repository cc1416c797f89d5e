import type { Speed } from "../../app/contract/runner.ts";
import { prefill } from "./generate/prefill.ts";
import { PrefillSlices } from "./generate/prefill-slices.ts";
import type { LoadedModel } from "./load/model-slot.ts";
import type { Clock, Pace } from "./process/duty-cycle.ts";
import { perSecond } from "./speed.ts";

/** Short: the job for which the model was loaded waits. */
const readTokens = 64;
const writtenTokens = 8;

/** How fast a model is that was just loaded; null where it was aborted. The first slice is not counted: it wakes it up. */
export async function measureSpeed(
  loaded: LoadedModel,
  { signal, pace, clock }: { readonly signal: AbortSignal; readonly pace: Pace; readonly clock: Clock },
): Promise<Speed | null> {
  const { model, batchTokens, sequences } = loaded;
  const slices = new PrefillSlices(batchTokens);
  const words = model.tokenize("the ".repeat(slices.size + readTokens));
  const [first, rest] = [words.slice(0, slices.size), words.slice(slices.size, slices.size + readTokens)];
  if (rest.length === 0 || first.length + rest.length + writtenTokens >= loaded.contextTokens) return null;
  const { sequence, release } = await sequences.lease(words);
  try {
    await sequence.clearHistory();
    if (!(await prefill(sequence, first, { slices, signal, pace }))) return null;
    const readFrom = clock();
    if (!(await prefill(sequence, rest, { slices, signal, pace }))) return null;
    const readMs = clock() - readFrom;
    const wroteFrom = clock();
    let written = 0;
    for await (const _token of sequence.evaluate(rest.slice(-1), { temperature: 0, yieldEogToken: true })) {
      written += 1;
      if (written >= writtenTokens) break;
      const wait = pace();
      if (wait !== null) await wait;
      if (signal.aborted) break;
    }
    if (signal.aborted) return null;
    const wroteMs = clock() - wroteFrom;
    return { prefill: perSecond(rest.length, readMs), generate: perSecond(written, wroteMs) };
  } finally {
    await sequence.clearHistory();
    release();
  }
}
