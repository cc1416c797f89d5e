import type { ToolCall } from "../../app/jobs/chat.ts";
import type { TokenChoice } from "../../app/jobs/sampling.ts";
import type { StreamItem } from "../../app/jobs/stream-item.ts";

/** The parts of an answer that are streamed. */
export type Streamed = {
  readonly text: string;
  readonly logprobs: readonly TokenChoice[];
  readonly calls: readonly ToolCall[];
};

/** A part of a call. The first part of a call may have no arguments. */
export type CallPart = ToolCall & { readonly index: number; readonly isFirst: boolean };

/**
 * The parts that were sent to a streaming requester, and the current attempt's parts so far. When an attempt is lost, the next
 * one starts again with the same seed. Its answer nearly always begins with the sent parts, so only the rest is sent.
 */
type SentParts = { readonly sent: Streamed; readonly attempt: Streamed };

const nothing: Streamed = { text: "", logprobs: [], calls: [] };

export const nothingSent: SentParts = { sent: nothing, attempt: nothing };

export type Fresh = Omit<Streamed, "calls"> & { readonly calls: readonly CallPart[] };

export type Continuation =
  { readonly kind: "parts"; readonly fresh: Fresh; readonly next: SentParts } | { readonly kind: "diverged" };

/** A stored piece of an attempt's answer. */
type Piece = { readonly text: string; readonly data?: readonly StreamItem[] };

/** Adds pieces to the current attempt. */
export function continueAnswer({ sent, attempt }: SentParts, pieces: readonly Piece[]): Continuation {
  const text = attempt.text + pieces.map((piece) => piece.text).join("");
  const logprobs = [...attempt.logprobs];
  const calls = [...attempt.calls];
  for (const item of pieces.flatMap(({ data = [] }) => data)) {
    const last = calls.at(-1);
    if ("token" in item) logprobs.push(item.token);
    else if ("call" in item) calls.push({ ...item.call, arguments: "" });
    else if (last !== undefined) calls.splice(-1, 1, withPart(last, item.arguments));
  }
  return reconcile(sent, { text, logprobs, calls }, { isWhole: false });
}

/** Blanks before the arguments of a call do not belong to them: the answer has none either, unless the call was cut. */
function withPart(call: ToolCall, part: string): ToolCall {
  return { ...call, arguments: (call.arguments + part).trimStart() };
}

/** Another attempt took over. Nothing of it is known yet. */
export function startAgain({ sent }: SentParts): SentParts {
  return { sent, attempt: nothing };
}

/** Compares the sent parts with all parts of the final answer. */
export function conclude(sent: Streamed, answer: Streamed): Continuation {
  const calls = answer.calls.map((call) => withPart(call, ""));
  return reconcile(sent, { ...answer, calls }, { isWhole: true });
}

function reconcile(
  sent: Streamed,
  attempt: Streamed,
  { isWhole }: { readonly isWhole: boolean },
): Continuation {
  const text = restOf(sent.text, attempt.text);
  const calls = freshCalls(sent.calls, attempt.calls, isWhole);
  if (text === null || calls === null) return { kind: "diverged" };
  // Two devices may differ in the last digits of a probability.
  const logprobs = attempt.logprobs.slice(sent.logprobs.length);
  const next = {
    text: sent.text + text,
    logprobs: [...sent.logprobs, ...logprobs],
    calls: withParts(sent.calls, calls),
  };
  return { kind: "parts", fresh: { text, logprobs, calls }, next: { sent: next, attempt } };
}

/** The rest of a text after its sent part. Null if the sent part differs. */
function restOf(sent: string, whole: string): string | null {
  if (whole.startsWith(sent)) return whole.slice(sent.length);
  return sent.startsWith(whole) ? "" : null;
}

/** Null if the calls differ. An id is the one that was sent first: devices of earlier versions draw it. */
function freshCalls(
  sent: readonly ToolCall[],
  calls: readonly ToolCall[],
  isWhole: boolean,
): readonly CallPart[] | null {
  if (isWhole && sent.length > calls.length) return null;
  const fresh: CallPart[] = [];
  for (const [index, call] of calls.entries()) {
    const before = sent[index];
    if (before === undefined) {
      fresh.push({ ...call, index, isFirst: true });
      continue;
    }
    const rest = before.name === call.name ? restOf(before.arguments, call.arguments) : null;
    if (rest === null || (isWhole && call.arguments.length < before.arguments.length)) return null;
    if (rest !== "") fresh.push({ ...before, arguments: rest, index, isFirst: false });
  }
  return fresh;
}

function withParts(sent: readonly ToolCall[], fresh: readonly CallPart[]): readonly ToolCall[] {
  const calls = [...sent];
  for (const { index, isFirst: _isFirst, ...part } of fresh) {
    calls[index] = { ...part, arguments: (calls[index]?.arguments ?? "") + part.arguments };
  }
  return calls;
}
