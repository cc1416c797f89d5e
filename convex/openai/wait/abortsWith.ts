/** A controller that also aborts with a signal. Not every Convex has `AbortSignal.any`. */
export function abortsWith(signal: AbortSignal | undefined): AbortController {
  const controller = new AbortController();
  if (signal?.aborted === true) controller.abort();
  signal?.addEventListener("abort", () => controller.abort(), { once: true });
  return controller;
}
