/*
 * A mutation of the console answers a member who may not do it with `{ refused }`: an error would undo the entry in the audit
 * trail. Clients turn the answer into the error that every other refusal is.
 */

/** A refusal, as the data of Convex's errors has it. */
type Refused = { readonly code: string; readonly message: string };

/** The refusal in an answer; null in any other answer. */
export function refusedAct(answer: unknown): Refused | null {
  if (typeof answer !== "object" || answer === null || !("refused" in answer)) return null;
  const { refused } = answer as { readonly refused: Partial<Refused> | null };
  const { code, message } = refused ?? {};
  return code === undefined || message === undefined ? null : { code, message };
}
