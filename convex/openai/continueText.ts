/**
 * The text that was sent to a streaming requester, and the current attempt's text so far. When an attempt is lost, the next
 * one starts again with the same seed. Its text nearly always begins with the sent text, so only the rest is sent.
 */
type SentText = { readonly sent: string; readonly attempt: string };

export const nothingSent: SentText = { sent: "", attempt: "" };

export type Continuation =
  { readonly kind: "text"; readonly fresh: string; readonly next: SentText } | { readonly kind: "diverged" };

/** Adds `text` to the current attempt. */
export function continueText(state: SentText, text: string): Continuation {
  return reconcile(state.sent, state.attempt + text);
}

/** Another attempt took over. None of its text is known yet. */
export function startAgain(state: SentText): SentText {
  return { sent: state.sent, attempt: "" };
}

/** Compares the sent text with the whole text of the current attempt. */
export function reconcile(sent: string, attempt: string): Continuation {
  if (attempt.startsWith(sent)) {
    return { kind: "text", fresh: attempt.slice(sent.length), next: { sent: attempt, attempt } };
  }
  if (sent.startsWith(attempt)) return { kind: "text", fresh: "", next: { sent, attempt } };
  return { kind: "diverged" };
}
