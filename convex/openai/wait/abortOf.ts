/** Resolves to false when a signal aborts, or has aborted. For a race with a wait. */
export async function abortOf(signal: AbortSignal | undefined): Promise<false> {
  return await new Promise((resolve) => {
    if (signal?.aborted === true) resolve(false);
    signal?.addEventListener("abort", () => resolve(false));
  });
}
