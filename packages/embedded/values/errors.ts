/** Returns the message of a caught value. */
export function errorMessage(caught: unknown): string {
  return caught instanceof Error ? caught.message : String(caught);
}

/** Returns a caught value as an error. */
export function asError(caught: unknown): Error {
  return caught instanceof Error ? caught : new Error(String(caught));
}

/** Whether an error comes from the operating system, such as a full disk. */
export function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
