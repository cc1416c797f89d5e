import { UnknownDeviceError } from "./backend.ts";

/**
 * Calls again when the backend refuses, as it does when it is overloaded or restarting: three times, after
 * 0.5, 1 and 2 seconds. Cuts of the connection need none of this: the client itself sends again.
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  delaysMs: readonly number[] = [500, 1_000, 2_000],
): Promise<T> {
  for (const delayMs of delaysMs) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof UnknownDeviceError) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  return await call();
}
