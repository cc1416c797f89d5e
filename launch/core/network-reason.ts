/** Why a call over the network failed, as a clause. The cause of undici's `fetch failed` is the reason. */
export function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no answer in time";
  return error.cause instanceof Error && error.cause.message !== "" ? error.cause.message : error.message;
}
