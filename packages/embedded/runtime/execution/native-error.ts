/// <reference lib="esnext.error" />

/**
 * Whether a value is an error of any realm. `instanceof` knows only errors of this realm. Runs none of the
 * value's code.
 */
export function isNativeError(value: unknown): value is Error {
  return Error.isError(value);
}
