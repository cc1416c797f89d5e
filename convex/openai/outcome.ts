/**
 * Logs that something failed which never should. Of what was thrown only the name: a message may hold the
 * arguments of the call that failed, prompts among them, and logs are kept by others and for longer.
 */
export function logBug(what: string, thrown: unknown): void {
  console.error(`${what}: ${nameOf(thrown)}`);
}

/** A validation error comes as a plain Error whose message begins with its true name. */
function nameOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  return /^(Uncaught )?([A-Z][A-Za-z]{0,60}(Error|Failure))\b/.exec(thrown.message)?.[2] ?? thrown.name;
}
