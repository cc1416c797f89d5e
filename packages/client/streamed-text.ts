/** A piece of a job's text. `seq` counts the pieces of an attempt. */
export type Piece = { readonly seq: number; readonly text: string };

/** The last piece that a watcher has. */
export type Position = { readonly attemptId: string; readonly seq: number };

/** A job's text as far as it is known. */
export type StreamedText = { readonly text: string; readonly position: Position | null };

export const noText: StreamedText = { text: "", position: null };

/**
 * Adds the pieces of an attempt. Those that are there already are left out. Another attempt writes the text again from its start,
 * because a device that takes a job over does not know what the device before it has written.
 */
export function withPieces(
  before: StreamedText,
  attemptId: string | null,
  pieces: readonly Piece[],
): StreamedText {
  if (attemptId === null || pieces.length === 0) return before;
  const goesOn = before.position?.attemptId === attemptId;
  const last = goesOn ? before.position.seq : -1;
  const added = pieces.filter(({ seq }) => seq > last);
  const seq = added.at(-1)?.seq;
  if (seq === undefined) return before;
  const text = `${goesOn ? before.text : ""}${added.map((piece) => piece.text).join("")}`;
  return { text, position: { attemptId, seq } };
}
