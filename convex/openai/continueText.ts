/**
 * What a streaming requester has been sent, and what of an attempt's text is new to it. When an attempt is
 * lost, the next starts from nothing; its seed is the same, so its text nearly always begins with what was
 * already sent, and only the rest is passed on.
 */
export type SentText = { readonly sent: string; readonly attempt: string };

export const nothingSent: SentText = { sent: "", attempt: "" };

export type Continuation =
  { readonly kind: "text"; readonly fresh: string; readonly next: SentText } | { readonly kind: "diverged" };

/** The current attempt goes on with `text`. */
export function continueText(state: SentText, text: string): Continuation {
  return reconcile(state.sent, state.attempt + text);
}

/** Another attempt has taken over: nothing of its text is known yet. */
export function startAgain(state: SentText): SentText {
  return { sent: state.sent, attempt: "" };
}

/** The whole of the current attempt's text is known. */
export function reconcile(sent: string, attempt: string): Continuation {
  if (attempt.startsWith(sent)) {
    return { kind: "text", fresh: attempt.slice(sent.length), next: { sent: attempt, attempt } };
  }
  if (sent.startsWith(attempt)) return { kind: "text", fresh: "", next: { sent, attempt } };
  return { kind: "diverged" };
}
