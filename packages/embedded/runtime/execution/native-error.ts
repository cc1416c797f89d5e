/// <reference lib="esnext.error" />

/** Whether a value is an error of any realm: `instanceof` knows only those of this one. Runs none of its code. */
export function isNativeError(value: unknown): value is Error {
  return Error.isError(value);
}
