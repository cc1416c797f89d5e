import { perSecond, type Speed } from "../../app/contract/speed.ts";
import type { ChatResult } from "../../app/jobs/chat.ts";
import { prefill, PrefillSlices, sliceSizes } from "./generate/prefill.ts";
import type { LoadedModel } from "./load/load-model.ts";
import type { JobPace } from "./process/duty-cycle.ts";

/** Fewer tokens, or less time, tell too little. */
const leastTokens = 16;
const leastMs = 20;

/** Few, because the job that loaded the model waits meanwhile. */
const measuredTokens = { read: 64, written: 8 };
/** On a GPU that reads its largest slice in less time, reading all sizes of slices takes few seconds. */
const shortSliceMs = 500;

/** The speed of an answer that was generated without others beside it. Null if it was too short to tell. */
export function speedOf({ usage, timing }: Pick<ChatResult, "usage" | "timing">): Speed | null {
  const read = usage.promptTokens - (usage.cachedPromptTokens ?? 0);
  const { prefillMs, generateMs } = timing;
  if (read < leastTokens || usage.completionTokens < leastTokens) return null;
  if (prefillMs < leastMs || generateMs < leastMs) return null;
  // The first token comes with the prompt.
  return { prefill: perSecond(read, prefillMs), generate: perSecond(usage.completionTokens - 1, generateMs) };
}

/**
 * Measures a model that was just loaded. Null if aborted. The first slice warms it up and does not count. A GPU's driver
 * compiles its programs when each is used for the first time, which can take seconds. So a GPU does all of it twice, and
 * only the second time counts. It has other programs for other sizes of slices. A fast GPU reads slices of all sizes, so that no
 * later job waits for a program, and the largest counts.
 */
export async function measureSpeed(loaded: LoadedModel, pace: JobPace): Promise<Speed | null> {
  const { read } = measuredTokens;
  if (loaded.report.backend === "cpu") return measureOnce(loaded, read, pace);
  let speed = await measureTwice(loaded, read, pace);
  if (speed === null || loaded.batchTokens > (speed.prefill * shortSliceMs) / 1_000) return speed;
  for (const size of sliceSizes(loaded.batchTokens)) {
    const found = await measureTwice(loaded, size, pace);
    if (pace.signal.aborted) return null;
    // The context holds no larger slices.
    if (found === null) return speed;
    if (size > read) speed = found;
  }
  return speed;
}

async function measureTwice(loaded: LoadedModel, read: number, pace: JobPace): Promise<Speed | null> {
  return (await measureOnce(loaded, read, pace)) === null ? null : measureOnce(loaded, read, pace);
}

/** @param read the tokens that are read after the first slice. */
async function measureOnce(
  loaded: LoadedModel,
  read: number,
  { signal, pace, clock }: JobPace,
): Promise<Speed | null> {
  const { model, batchTokens, sequences, batches, report } = loaded;
  const { written } = measuredTokens;
  // Slices of the same size both times, since a GPU has other programs for other sizes.
  const slices =
    report.backend === "cpu"
      ? new PrefillSlices(batchTokens)
      : new PrefillSlices(batchTokens, Math.min(read, batchTokens));
  const words = model.tokenize("the ".repeat(slices.size + read));
  const [first, rest] = [words.slice(0, slices.size), words.slice(slices.size, slices.size + read)];
  if (rest.length === 0 || first.length + rest.length + written >= loaded.contextTokens) return null;
  const { sequence, release } = await sequences.lend(words);
  try {
    await sequence.clearHistory();
    if (!(await prefill(sequence, first, { slices, batches, signal, pace }))) return null;
    const readFrom = clock();
    if (!(await prefill(sequence, rest, { slices, batches, signal, pace }))) return null;
    const readMs = clock() - readFrom;
    const wroteFrom = clock();
    let tokens = 0;
    for await (const _token of sequence.evaluate(rest.slice(-1), { temperature: 0, yieldEogToken: true })) {
      tokens += 1;
      if (tokens >= written) break;
      const wait = pace();
      if (wait !== null) await wait;
      if (signal.aborted) break;
    }
    if (signal.aborted) return null;
    const wroteMs = clock() - wroteFrom;
    return { prefill: perSecond(rest.length, readMs), generate: perSecond(tokens, wroteMs) };
  } finally {
    await sequence.clearHistory();
    release();
  }
}
