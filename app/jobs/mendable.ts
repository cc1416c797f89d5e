/** Errors that come back at every retry, because the request itself causes them, and how to mend it. */
const unmendable: Readonly<Record<string, string>> = {
  context_length_exceeded:
    "The request is longer than the model's context, so each retry fails. Send it again with less text.",
  invalid_grammar: "The request's grammar or schema can't be enforced, so each retry fails. Change it.",
  schema_not_met:
    "Each retry gives the same answers, which break a rule of the request's schema. Change the prompt or the schema.",
  wrong_dimensions:
    "The model's vectors have another length than the request expects, so each retry fails. Leave dimensions out.",
  wrong_tokens: "The ids of tokens are another model's, so each retry fails. Send text, or this model's ids.",
  result_too_large: "The answer is too large for one job, so each retry fails. Send fewer inputs at once.",
};

/** Why no retry can mend a failed job; null if a retry may help. */
export function noRetryHelps(error: { readonly code: string } | null): string | null {
  const code = error?.code ?? "";
  return Object.hasOwn(unmendable, code) ? (unmendable[code] ?? null) : null;
}
