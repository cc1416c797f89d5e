/** Closes a union: the compiler refuses the call while a case is not handled. */
export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`);
}
