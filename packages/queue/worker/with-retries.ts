import { ConvexError } from "convex/values";
import { UnknownWorkerError } from "./refusal.ts";

/**
 * Calls again when the queue fails, as a backend does that is overloaded or restarting: three times, after 0.5, 1 and
 * 2 seconds. What it refuses on purpose it would refuse again. Cuts of the connection need none of this: the client
 * itself sends again.
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  delaysMs: readonly number[] = [500, 1_000, 2_000],
): Promise<T> {
  for (const delayMs of delaysMs) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof UnknownWorkerError || error instanceof ConvexError) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  return await call();
}
