import type { Http } from "./http.ts";
import { completedUpload, created } from "./objects.ts";

/** The most bytes of one call in either direction. */
export const partBytes = 16 * 1024 * 1024;

const jsonLines = "application/jsonl";
const readWithinMs = 5 * 60_000;
/** The status for a range behind the end of a file. */
const noBytesThere = 416;

/** A file of requests. `bytes`: its size. */
export type Content = { readonly bytes: number; readonly chunks: AsyncIterable<Uint8Array> };

/** Uploads a file of requests, in parts if it is large. Returns its id. Keeps one part in memory. */
export async function uploadFile(
  http: Http,
  name: string,
  { bytes, chunks }: Content,
  onPart: (part: number, parts: number) => void = () => undefined,
  mostBytes: number = partBytes,
): Promise<string> {
  const parts = partsOf(chunks, mostBytes);
  if (bytes <= mostBytes) {
    const whole = (await parts.next()).value ?? new Blob([]);
    const form = formWith("file", whole, name);
    form.append("purpose", "batch");
    return (await http.postFile("/files", form, created)).id;
  }
  const asked = { filename: name, bytes, purpose: "batch", mime_type: jsonLines };
  const upload = await http.post("/uploads", asked, created);
  const partIds: string[] = [];
  for await (const part of parts) {
    onPart(partIds.length + 1, Math.ceil(bytes / mostBytes));
    const form = formWith("data", part, "part");
    partIds.push((await http.postFile(`/uploads/${upload.id}/parts`, form, created)).id);
  }
  return (await http.post(`/uploads/${upload.id}/complete`, { part_ids: partIds }, completedUpload)).file.id;
}

function formWith(field: string, content: Blob, name: string): FormData {
  const form = new FormData();
  form.append(field, content, name);
  return form;
}

/** The content in pieces of exactly this size, but for the last. */
async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  mostBytes: number,
): AsyncGenerator<Blob, undefined> {
  let kept: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + mostBytes - size);
      kept.push(piece as Uint8Array<ArrayBuffer>);
      size += piece.length;
      at += piece.length;
      if (size < mostBytes) continue;
      yield new Blob(kept, { type: jsonLines });
      kept = [];
      size = 0;
    }
  }
  if (size > 0) yield new Blob(kept, { type: jsonLines });
  return undefined;
}

/** Reads a file from an offset to its present end. The file may grow meanwhile. */
export async function* readFileFrom(
  http: Http,
  fileId: string,
  offset: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (let from = offset; ;) {
    const range = `bytes=${String(from)}-${String(from + partBytes - 1)}`;
    const options = {
      headers: { range },
      withinMs: readWithinMs,
      accepts: noBytesThere,
      signal: signal ?? null,
    };
    const response = await http.send(`/files/${encodeURIComponent(fileId)}/content`, options);
    if (response.status === noBytesThere) return;
    const bytes = await http.read(response);
    if (bytes.length > 0) yield bytes;
    from += bytes.length;
    if (response.status !== 206 || from >= lengthIn(response)) return;
  }
}

/** The length of the file of which a part was read. Infinite if it is not told: then a read behind the end tells it. */
function lengthIn({ headers }: Response): number {
  const [, length] = /^bytes \d{1,15}-\d{1,15}\/(\d{1,15})$/.exec(headers.get("content-range") ?? "") ?? [];
  return length === undefined ? Infinity : Number(length);
}
