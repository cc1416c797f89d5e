import {
  MaxFileSizeExceededError,
  MaxHeaderSizeExceededError,
  MaxPartsExceededError,
  MaxTotalSizeExceededError,
  MultipartParseError,
  MultipartPart,
} from "@remix-run/multipart-parser";

// The package's own parser keeps each field until its end. A field of ours is stored while it comes.

/** A field of a form. What its reader leaves of its content is skipped. A chunk is in memory only until the next one is read. */
export type FormField = {
  readonly name: string | undefined;
  readonly filename: string | undefined;
  readonly content: AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
};

type Bounds = { readonly fields: number; readonly contentBytes: number; readonly totalBytes: number };

const mostHeaderBytes = 8 * 1024;
const lineEnd = new Uint8Array([13, 10]);
const headerEnd = new Uint8Array([13, 10, 13, 10]);
const dashes = new Uint8Array([45, 45]);

/** The fields of a form (multipart/form-data), as they come. Throws a MultipartParseError for another body, and beyond the bounds. */
export async function* readForm(
  body: ReadableStream<Uint8Array>,
  boundary: string,
  bounds: Bounds,
): AsyncGenerator<FormField, void> {
  const form = new FormReader(body, boundary, bounds);
  await form.expect(form.delimiter.subarray(lineEnd.length));
  for (let fields = 1; !(await form.isOver()); fields += 1) {
    if (fields > bounds.fields) throw new MaxPartsExceededError(bounds.fields);
    const { name, filename } = new MultipartPart(await form.header(), []);
    const content = form.content();
    yield { name, filename, content };
    // A loop that a reader left has ended the generator, but not the field.
    await form.skipContent();
  }
  await form.end();
}

class FormReader {
  /** Ends the content of a field. */
  readonly delimiter: Uint8Array;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #bounds: Bounds;
  /** Read, and not used yet. */
  #rest = new Uint8Array<ArrayBuffer>(new ArrayBuffer(0));
  #contentBytes = 0;
  #totalBytes = 0;
  #isInContent = false;

  constructor(body: ReadableStream<Uint8Array>, boundary: string, bounds: Bounds) {
    this.delimiter = new TextEncoder().encode(`\r\n--${boundary}`);
    this.#reader = body.getReader();
    this.#bounds = bounds;
  }

  /** Reads over bytes that have to come. */
  async expect(bytes: Uint8Array): Promise<void> {
    await this.#fill(bytes.length);
    if (!startsWith(this.#rest, bytes)) throw new MultipartParseError("A boundary is missing.");
    this.#rest = this.#rest.subarray(bytes.length);
  }

  /** Reads over the bytes behind a boundary. Returns whether it was the last one. */
  async isOver(): Promise<boolean> {
    await this.#fill(dashes.length);
    const isOver = startsWith(this.#rest, dashes);
    this.#rest = this.#rest.subarray(dashes.length);
    return isOver;
  }

  /** Reads the header of a field. */
  async header(): Promise<Uint8Array> {
    let end = indexOf(this.#rest, headerEnd);
    while (end === -1) {
      if (this.#rest.length > mostHeaderBytes) throw new MaxHeaderSizeExceededError(mostHeaderBytes);
      await this.#fill(this.#rest.length + 1);
      end = indexOf(this.#rest, headerEnd);
    }
    if (end > mostHeaderBytes) throw new MaxHeaderSizeExceededError(mostHeaderBytes);
    const header = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end + headerEnd.length);
    this.#isInContent = true;
    this.#contentBytes = 0;
    return header;
  }

  /** Reads the content of a field, and over the boundary behind it. Gives the memory of each chunk back when the next one is read. */
  async *content(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    while (this.#isInContent) {
      const chunk = this.#rest;
      const end = indexOf(chunk, this.delimiter);
      const used = end === -1 ? beginningAtEnd(chunk, this.delimiter) : end;
      this.#count(used);
      if (end === -1) this.#rest = chunk.slice(used);
      else {
        this.#isInContent = false;
        this.#rest = chunk.subarray(end + this.delimiter.length);
      }
      if (used > 0) yield chunk.subarray(0, used);
      if (end !== -1) return;
      // A part of a buffer may be somebody else's.
      if (chunk.byteLength === chunk.buffer.byteLength) chunk.buffer.transfer(0);
      await this.#fill(this.#rest.length + 1);
    }
  }

  async skipContent(): Promise<void> {
    const left = this.content();
    while ((await left.next()).done !== true);
  }

  /** Reads what is behind the form, of which nothing counts. But a compressed body shows its damage only at its end. */
  async end(): Promise<void> {
    while (!(await this.#reader.read()).done);
  }

  #count(more: number): void {
    const { contentBytes, totalBytes } = this.#bounds;
    this.#contentBytes += more;
    this.#totalBytes += more;
    if (this.#contentBytes > contentBytes) throw new MaxFileSizeExceededError(contentBytes);
    if (this.#totalBytes > totalBytes) throw new MaxTotalSizeExceededError(totalBytes);
  }

  /** Reads until the rest has so many bytes. */
  async #fill(bytes: number): Promise<void> {
    while (this.#rest.length < bytes) {
      const { done, value } = await this.#reader.read();
      if (done) throw new MultipartParseError("The form ends early.");
      this.#rest = joined(this.#rest, value as Uint8Array<ArrayBuffer>);
    }
  }
}

function joined(first: Uint8Array<ArrayBuffer>, second: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (first.length === 0) return second;
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return bytes.length >= start.length && matchesAt(bytes, 0, start);
}

/** The first place of a pattern; -1 if there is none. Fast for patterns that begin with a byte that is rare in texts. */
function indexOf(bytes: Uint8Array, pattern: Uint8Array): number {
  const last = bytes.length - pattern.length;
  for (let at = bytes.indexOf(pattern[0] ?? 0); at !== -1 && at <= last;) {
    if (matchesAt(bytes, at, pattern)) return at;
    at = bytes.indexOf(pattern[0] ?? 0, at + 1);
  }
  return -1;
}

/** The place from which the last bytes may begin a pattern. The length of the bytes if they cannot. */
function beginningAtEnd(bytes: Uint8Array, pattern: Uint8Array): number {
  const first = pattern[0] ?? 0;
  let at = bytes.indexOf(first, Math.max(0, bytes.length - pattern.length + 1));
  while (at !== -1 && !matchesAt(bytes, at, pattern)) at = bytes.indexOf(first, at + 1);
  return at === -1 ? bytes.length : at;
}

/** Whether a pattern lies there, as far as the bytes go. */
function matchesAt(bytes: Uint8Array, at: number, pattern: Uint8Array): boolean {
  const length = Math.min(pattern.length, bytes.length - at);
  for (let n = 0; n < length; n += 1) if (bytes[at + n] !== pattern[n]) return false;
  return true;
}
