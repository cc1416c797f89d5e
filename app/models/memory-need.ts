/** The context that a device usually gives a model, in tokens. A request with a longer prompt needs more. */
const usualContext = 8_192;

/** Memory of the program itself and of its working buffers. */
const programBytes = 400 * 2 ** 20;

/** The memory that a device needs to run a model: its file, its usual context, and the program. */
export function memoryNeed({
  sizeBytes,
  contextTokens,
  contextBytesPerToken,
}: {
  readonly sizeBytes: number;
  readonly contextTokens: number;
  readonly contextBytesPerToken: number;
}): number {
  return sizeBytes + Math.min(contextTokens, usualContext) * contextBytesPerToken + programBytes;
}
