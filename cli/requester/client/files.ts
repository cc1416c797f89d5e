import { batchLimits } from "../../../app/batches/limits.ts";
import { type Api, ApiRefusal } from "./api.ts";
import { completedUpload, created } from "./wire.ts";

const jsonLines = "application/jsonl";
const readWithinMs = 5 * 60_000;

/** A file of requests. `bytes`: its size. */
export type Content = { readonly bytes: number; readonly chunks: AsyncIterable<Uint8Array> };

/** Uploads a file of requests, in parts if it is large. Returns its id. Keeps one part in memory. */
export async function uploadFile(
  api: Api,
  name: string,
  { bytes, chunks }: Content,
  onPart: (part: number, parts: number) => void = () => undefined,
  partBytes: number = batchLimits.fileBytes,
): Promise<string> {
  const parts = partsOf(chunks, partBytes);
  if (bytes <= partBytes) {
    const whole = (await parts.next()).value ?? new Uint8Array();
    const form = formWith("file", whole, name);
    form.append("purpose", "batch");
    return (await api.postFile("/files", form, created)).id;
  }
  const asked = { filename: name, bytes, purpose: "batch", mime_type: jsonLines };
  const upload = await api.post("/uploads", asked, created);
  const partIds: string[] = [];
  for await (const part of parts) {
    onPart(partIds.length + 1, Math.ceil(bytes / partBytes));
    const form = formWith("data", part, "part");
    partIds.push((await api.postFile(`/uploads/${upload.id}/parts`, form, created)).id);
  }
  return (await api.post(`/uploads/${upload.id}/complete`, { part_ids: partIds }, completedUpload)).file.id;
}

function formWith(field: string, content: Uint8Array, name: string): FormData {
  const form = new FormData();
  form.append(field, new Blob([content as Uint8Array<ArrayBuffer>], { type: jsonLines }), name);
  return form;
}

/** The content in pieces of exactly this size, but for the last. */
async function* partsOf(
  chunks: AsyncIterable<Uint8Array>,
  partBytes: number,
): AsyncGenerator<Uint8Array, undefined> {
  let kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + partBytes - size);
      kept.push(piece);
      size += piece.length;
      at += piece.length;
      if (size < partBytes) continue;
      yield Buffer.concat(kept);
      kept = [];
      size = 0;
    }
  }
  if (size > 0) yield Buffer.concat(kept);
  return undefined;
}

/** Reads a file from an offset to its present end. The file may grow meanwhile. */
export async function* readFileFrom(api: Api, fileId: string, offset: number): AsyncGenerator<Buffer> {
  for (let from = offset; ;) {
    const range = `bytes=${String(from)}-${String(from + batchLimits.fileBytes - 1)}`;
    const init = { headers: { range }, withinMs: readWithinMs };
    const response = await api.send(`/files/${fileId}/content`, init).catch((error: unknown) => {
      // The file has no bytes behind this offset.
      if (error instanceof ApiRefusal && error.status === 416) return null;
      throw error;
    });
    if (response === null) return;
    const bytes = await api.read(response);
    if (bytes.length > 0) yield bytes;
    if (response.status !== 206) return;
    from += bytes.length;
  }
}
