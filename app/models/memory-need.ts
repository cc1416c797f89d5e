/** The context that a device usually gives a model, in tokens. A request with a longer prompt needs more. */
const usualContext = 8_192;

/** Memory of the program itself and of its working buffers. */
const programBytes = 400 * 2 ** 20;

/** An estimate is no more exact than this. So the number that people read is the one that devices are counted by. */
const stepBytes = 100_000_000;

/** The memory that a device needs to run a model: its file, its usual context, and the program. Rounded up to 0.1 GB. */
export function memoryNeed({
  sizeBytes,
  contextTokens,
  contextBytesPerToken,
}: {
  readonly sizeBytes: number;
  readonly contextTokens: number;
  readonly contextBytesPerToken: number;
}): number {
  const bytes = sizeBytes + Math.min(contextTokens, usualContext) * contextBytesPerToken + programBytes;
  return Math.ceil(bytes / stepBytes) * stepBytes;
}
