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
