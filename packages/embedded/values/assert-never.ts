/** Closes a union: a new member that is not handled is a compile error. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected ${JSON.stringify(value)}`);
}
