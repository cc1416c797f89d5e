import { convexToJson, type Value } from "convex/values";
import type { WorkerTimes } from "../contract/times.ts";

/** At most three bytes a UTF-16 unit: a chunk has at most 64 KiB. */
const maxChunkChars = Math.floor((64 * 1024) / 3);

/** The largest result. Text and data beyond it are not kept for a late reader. */
const maxKeptChars = 512 * 1024;

/** A value beside the text. `at`: how much text was there. `chars`: the length of its JSON, with a comma. */
type Item = { readonly value: Value; readonly at: number; readonly chars: number };

/** The whole text of an attempt with its data, and how much was sent to its present readers. */
export type TextStream = {
  readonly text: string;
  readonly items: readonly Item[];
  readonly itemChars: number;
  /** Something was left out. Nothing after it is kept either, so that there is no hole. */
  readonly full: boolean;
  /** The queue did not take a chunk. No other is sent, so that its readers see no hole. */
  readonly closed: boolean;
  readonly watched: boolean;
  readonly sentChars: number;
  readonly sentItems: number;
  readonly nextSeq: number;
  /** The times at which its present readers were sent their first chunk and the last one; null before the first. */
  readonly sent: { readonly firstAt: number; readonly lastAt: number } | null;
  /** When the next chunk is sent; null while none is planned. */
  readonly sendAt: number | null;
};

export function newTextStream(watched: boolean): TextStream {
  const empty = { text: "", items: [], itemChars: 0, full: false, closed: false };
  return { ...empty, watched, sentChars: 0, sentItems: 0, nextSeq: 0, sent: null, sendAt: null };
}

export function pushText(stream: TextStream, piece: string, data: readonly Value[] = []): TextStream {
  const text = stream.text + piece;
  const added = data.map((value) => ({ value, at: text.length, chars: charsOf(value) }));
  const itemChars = added.reduce((sum, { chars }) => sum + chars, stream.itemChars);
  const isTooLong = text.length + itemChars > maxKeptChars || added.some(({ chars }) => chars > maxItemChars);
  if (stream.full || isTooLong) return { ...stream, full: true };
  return {
    ...stream,
    text,
    itemChars,
    items: added.length === 0 ? stream.items : [...stream.items, ...added],
  };
}

/** The brackets of a list take two. */
const maxItemChars = maxChunkChars - 2;

/** Infinity: Convex cannot keep this value. */
function charsOf(value: Value): number {
  try {
    return JSON.stringify(convexToJson(value)).length + 1;
  } catch {
    return Infinity;
  }
}

/** A reader who comes after a time without readers gets the text from its start: nobody kept the chunks of that time. */
export function setWatched(stream: TextStream, watched: boolean): TextStream {
  const isFirst = watched && !stream.watched;
  return isFirst ? { ...stream, watched, sentChars: 0, sentItems: 0, sent: null } : { ...stream, watched };
}

export function hasUnsent({ watched, closed, sentChars, text, sentItems, items }: TextStream): boolean {
  return watched && !closed && (sentChars < text.length || sentItems < items.length);
}

/** Ends the stream before its text. The result brings the whole text. */
export function closeStream(stream: TextStream): TextStream {
  return { ...stream, closed: true };
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
  readonly data?: Value[];
  readonly isFirst?: boolean;
  readonly rest: TextStream;
} {
  const { sentChars, nextSeq: seq } = stream;
  const { text, sentItems } = nextPart(stream);
  const data = stream.items.slice(stream.sentItems, sentItems).map(({ value }) => value);
  const sent = { firstAt: stream.sent?.firstAt ?? now, lastAt: now };
  const rest = { ...stream, sentChars: sentChars + text.length, sentItems, nextSeq: seq + 1, sent };
  return {
    seq,
    text,
    ...(data.length === 0 ? {} : { data }),
    ...(stream.sent === null && seq > 0 ? { isFirst: true } : {}),
    rest,
  };
}

/** As much as a chunk may have. A value comes with the text before it or after it, never earlier. */
function nextPart({ text, items, sentChars, sentItems: first }: TextStream): {
  readonly text: string;
  readonly sentItems: number;
} {
  let sentItems = first;
  let end = sentChars;
  let room = items.length > first ? maxItemChars : maxChunkChars;
  for (const { at, chars } of items.slice(first)) {
    if (at - end + chars > room) break;
    room -= at - end + chars;
    end = at;
    sentItems += 1;
  }
  // Text without data, or text that is too long for its data to come with it.
  const until = items[sentItems]?.at ?? text.length;
  if (sentItems === items.length || sentItems === first) {
    end += wholeChars(text.slice(end, Math.min(until, end + room + 1)), room).length;
  }
  return { text: text.slice(sentChars, end), sentItems };
}

/** The beginning of `text`, at most `max` long, without half a character at its end. */
function wholeChars(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
