import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { ActionCtx } from "../../_generated/server.js";
import type { RequestView } from "../../model/requests/watch.ts";
import type { TextPosition } from "../follow.ts";

/** The place at which a reader begins. `said`: the text that it has; null if that is too long to be read at once. */
type TextStart = { readonly from: TextPosition | null; readonly said: string | null };

/** A reader that has nothing yet. */
const textBegins: TextStart = { from: null, said: "" };

/** `restarts`: the reader has to begin again, because the piece that it names is not there. */
export type ReaderStart = TextStart & { readonly restarts: boolean };

/** The place at which a reader begins. @param lastId the id of the last piece that it has, as it says; null: none. */
export async function readerStart(
  ctx: ActionCtx,
  keyId: Id<"apiKeys">,
  jobId: string,
  lastId: string | null,
): Promise<ReaderStart> {
  const asked = positionOf(lastId);
  const stored = asked === null ? null : await textUntil(ctx, keyId, jobId, asked);
  return { ...(stored ?? textBegins), restarts: asked !== null && stored === null };
}

/**
 * The text until a piece. Null: the piece is not there. Pieces are deleted when nobody follows a job any more, and later ones begin
 * with the start of the text again.
 */
async function textUntil(
  ctx: ActionCtx,
  keyId: Id<"apiKeys">,
  jobId: string,
  from: TextPosition,
): Promise<TextStart | null> {
  const view = await ctx.runQuery(internal.requests.watchAdmitted, { keyId, jobId });
  const { result } = view;
  const hasAll = from.seq === restSeq && result !== null && "text" in result;
  if (hasAll && view.attemptId === from.attemptId) return { from, said: result.text };
  const pieces = view.chunks.filter(({ seq }) => seq <= from.seq);
  if (view.attemptId !== from.attemptId || pieces.length === 0) return null;
  const isWhole = pieces.at(-1)?.seq === from.seq;
  return { from, said: isWhole ? pieces.map(({ text }) => text).join("") : null };
}

/** The number of the piece that the device did not stream: the largest that an id may have. */
const restSeq = 999_999_999;

/** The id of a piece: its place in the text. */
export function pieceId({ attemptId, seq }: TextPosition): string {
  return `${attemptId}:${String(seq)}`;
}

/** The place that an event's id names. Null: none. */
function positionOf(id: string | null): TextPosition | null {
  const [, attemptId, seq] = /^([\w-]{1,64}):(\d{1,9})$/.exec(id ?? "") ?? [];
  return attemptId === undefined ? null : { attemptId, seq: Number(seq) };
}

/** `restart`: the text begins again. `at`: the place of the piece, after which a reader can go on. */
type TextEvent =
  | { readonly kind: "restart" }
  | { readonly kind: "text"; readonly attempt: number; readonly text: string; readonly at: TextPosition };

/** The text of a job, in pieces for one reader. */
export class JobText {
  #attemptId: string | null;
  #said: string | null;

  constructor({ from, said }: TextStart) {
    this.#attemptId = from?.attemptId ?? null;
    this.#said = said;
  }

  /** The pieces that are new with a state of the job. */
  eventsOf(view: RequestView): readonly TextEvent[] {
    const { attempt, attemptId } = view;
    const events: TextEvent[] = [];
    for (const { seq, text } of view.chunks) {
      if (this.#attemptId !== null && this.#attemptId !== attemptId) {
        events.push({ kind: "restart" });
        this.#said = "";
      }
      this.#attemptId = attemptId;
      if (this.#said !== null) this.#said += text;
      // A piece may have nothing but a part of a tool call.
      if (text !== "")
        events.push({ kind: "text", attempt, text, at: { attemptId: String(attemptId), seq } });
    }
    const rest = view.chunks.length > 0 ? null : restOf(view.result, this.#said);
    if (rest?.restarts === true) events.push({ kind: "restart" });
    // Its id is behind those of all pieces. So a reader who connects again does not get it twice.
    const at = { attemptId: String(attemptId), seq: restSeq };
    if (rest !== null && rest.text !== "") events.push({ kind: "text", attempt, text: rest.text, at });
    return events;
  }
}

/**
 * The part of an answer's text that its device did not stream. It restarts the text if an earlier attempt has said something else.
 * Null: the reader has all.
 */
function restOf(
  result: RequestView["result"],
  said: string | null,
): { readonly text: string; readonly restarts: boolean } | null {
  if (result === null || said === null || !("text" in result)) return null;
  const { text } = result;
  if (text.startsWith(said)) return { text: text.slice(said.length), restarts: false };
  // The end of a text is trimmed after it was streamed.
  return text.startsWith(said.trimEnd()) ? null : { text, restarts: true };
}
