import type { Outcome } from "../../runtime/contract/function-runner.ts";
import { assertNever } from "../../values/assert-never.ts";

/** A query's result. The same object means the same result: runs that change nothing return the previous object. */
export type KnownResult = {
  readonly outcome: Outcome;
  readonly logLines: readonly string[];
  readonly journal: string | null;
};

type Texts = { readonly outcome: string; readonly fields: string };

/** Results may be large and have many watchers, so each is serialized once. */
const texts = new WeakMap<KnownResult, Texts>();

/** The result's message fields as JSON, without the braces. */
export function resultFieldsJson(result: KnownResult): string {
  return textsOf(result).fields;
}

/** Ignores log lines: Convex does not resend a result whose run only logged something else. */
export function hasSameOutcome(a: KnownResult, b: KnownResult): boolean {
  return a.journal === b.journal && textsOf(a).outcome === textsOf(b).outcome;
}

function textsOf(result: KnownResult): Texts {
  const known = texts.get(result);
  if (known !== undefined) return known;
  const outcome = fieldsOf(outcomeFields(result.outcome));
  const { logLines, journal } = result;
  const made = { outcome, fields: `${outcome},${fieldsOf({ logLines, journal })}` };
  texts.set(result, made);
  return made;
}

function outcomeFields(outcome: Outcome): object {
  switch (outcome.kind) {
    case "success":
      return { value: outcome.value };
    case "failure": {
      const { message, data } = outcome;
      return data === undefined ? { errorMessage: message } : { errorMessage: message, errorData: data };
    }
    default:
      return assertNever(outcome);
  }
}

function fieldsOf(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}
