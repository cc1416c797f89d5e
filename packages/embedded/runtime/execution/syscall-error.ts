import type { JSONValue } from "convex/values";

/**
 * A syscall was refused. The convex package rethrows this error inside the function, where the developer's code
 * may catch it. With `data` it becomes a ConvexError there.
 */
export class SyscallError extends Error {
  readonly data?: JSONValue;

  constructor(message: string, data?: JSONValue) {
    super(message);
    if (data !== undefined) this.data = data;
  }
}

/** The function has returned, so code that it left running must not act anymore. */
export function endedError(): SyscallError {
  return new SyscallError("The function has ended already. Did you forget to await a promise?");
}

/** The function has read as much as one function may. A page that is being read ends there. */
export class ReadLimitError extends SyscallError {}
