/** Whether a value is an error of any realm: `instanceof` knows only those of this one. */
export function isNativeError(value: unknown): value is Error {
  return Object.prototype.toString.call(value) === "[object Error]";
}
