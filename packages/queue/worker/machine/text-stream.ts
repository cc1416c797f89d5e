import type { WorkerTimes } from "../contract/times.ts";

/** At most three bytes a UTF-16 unit: a chunk has at most 64 KiB. */
const maxChunkChars = Math.floor((64 * 1024) / 3);

/** The largest result. Text beyond it is not kept for a late reader. */
const maxKeptChars = 512 * 1024;

/** The whole text of an attempt, and how much of it was sent to its present readers. */
export type TextStream = {
  readonly text: string;
  /** Text was left out. Nothing after it is kept either, so that there is no hole. */
  readonly full: boolean;
  readonly watched: boolean;
  readonly sentChars: number;
  readonly nextSeq: number;
  /** The times at which its present readers were sent their first chunk and the last one; null before the first. */
  readonly sent: { readonly firstAt: number; readonly lastAt: number } | null;
  /** When the next chunk is sent; null while none is planned. */
  readonly sendAt: number | null;
};

export function newTextStream(watched: boolean): TextStream {
  return { text: "", full: false, watched, sentChars: 0, nextSeq: 0, sent: null, sendAt: null };
}

export function pushText(stream: TextStream, text: string): TextStream {
  if (stream.full || stream.text.length + text.length > maxKeptChars) return { ...stream, full: true };
  return { ...stream, text: stream.text + text };
}

/** A reader who comes after a time without readers gets the text from its start: nobody kept the chunks of that time. */
export function setWatched(stream: TextStream, watched: boolean): TextStream {
  const isFirst = watched && !stream.watched;
  return isFirst ? { ...stream, watched, sentChars: 0, sent: null } : { ...stream, watched };
}

export function hasUnsent({ watched, sentChars, text }: TextStream): boolean {
  return watched && sentChars < text.length;
}

/** The next chunks come after a quarter of the time since the first one, within the bounds. */
const shareOfAge = 1 / 4;

/** The time at which the next chunk may be sent. */
export function nextChunkAt(
  { sent }: TextStream,
  now: number,
  { firstChunksEveryMs, chunkEveryMs }: WorkerTimes,
): number {
  if (sent === null) return now;
  const everyMs = Math.max(firstChunksEveryMs, (now - sent.firstAt) * shareOfAge);
  return Math.max(now, sent.lastAt + Math.min(chunkEveryMs, everyMs));
}

/** The next chunk, which is sent now, and the stream after it. */
export function nextChunk(
  stream: TextStream,
  now: number,
): {
  readonly seq: number;
  readonly text: string;
  readonly rest: TextStream;
} {
  const { sentChars, nextSeq: seq } = stream;
  const text = wholeChars(stream.text.slice(sentChars, sentChars + maxChunkChars + 1), maxChunkChars);
  const sent = { firstAt: stream.sent?.firstAt ?? now, lastAt: now };
  return { seq, text, rest: { ...stream, sentChars: sentChars + text.length, nextSeq: seq + 1, sent } };
}

/** The beginning of `text`, at most `max` long, without half a character at its end. */
function wholeChars(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
