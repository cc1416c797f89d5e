import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { WorkFolder } from "./work-folder.ts";

/** As in Convex: parts are numbered from 1. */
const maxParts = 10_000;
const maxPartBytes = 1024 ** 3;
const maxOpenUploads = 4;

type Upload = { readonly folder: string; readonly parts: Set<number> };

type UploadProblem = { readonly kind: "refused"; readonly reason: string };

/** Files that clients send in parts, to import them. They are lost when the process ends. */
export class Uploads {
  readonly #work: WorkFolder;
  readonly #open = new Map<string, Upload>();

  constructor(work: WorkFolder) {
    this.#work = work;
  }

  /** Begins an upload. Drops the oldest one if there are too many. */
  async start(): Promise<string> {
    const [oldest] = this.#open.keys();
    if (oldest !== undefined && this.#open.size >= maxOpenUploads) await this.discard(oldest);
    const token = randomUUID();
    const folder = this.#work.newPath("upload");
    await mkdir(folder, { mode: 0o700 });
    this.#open.set(token, { folder, parts: new Set() });
    return token;
  }

  /** Stores one part. If a part is sent twice, the second replaces the first. */
  async part(
    token: string,
    part: number,
    content: AsyncIterable<Uint8Array>,
  ): Promise<UploadProblem | { readonly kind: "ok" }> {
    const upload = this.#open.get(token);
    if (upload === undefined) return unknownUpload;
    if (!Number.isInteger(part) || part < 1 || part > maxParts) {
      return { kind: "refused", reason: `A part's number is between 1 and ${String(maxParts)}.` };
    }
    const file = partFile(upload, part);
    const isWhole = await writePart(content, file);
    if (!isWhole) return { kind: "refused", reason: `A part has at most ${String(maxPartBytes)} bytes.` };
    upload.parts.add(part);
    return { kind: "ok" };
  }

  /** Joins the parts. The file then belongs to the caller. */
  async finish(token: string): Promise<UploadProblem | { readonly kind: "ok"; readonly file: string }> {
    const upload = this.#open.get(token);
    if (upload === undefined) return unknownUpload;
    const parts = [...upload.parts].sort((a, b) => a - b);
    const gap = parts.findIndex((part, index) => part !== index + 1);
    if (gap !== -1) return { kind: "refused", reason: `Part ${String(gap + 1)} of the upload is missing.` };
    const file = this.#work.newPath("import");
    await (await open(file, "wx", 0o600)).close();
    for (const part of parts) {
      await pipeline(createReadStream(partFile(upload, part)), createWriteStream(file, { flags: "a" }));
      await rm(partFile(upload, part));
    }
    await this.discard(token);
    return { kind: "ok", file };
  }

  async discard(token: string): Promise<void> {
    const upload = this.#open.get(token);
    this.#open.delete(token);
    if (upload !== undefined) await rm(upload.folder, { recursive: true, force: true });
  }
}

const unknownUpload: UploadProblem = {
  kind: "refused",
  reason: "There is no such upload: it was finished, or the backend was restarted. Import again.",
};

/** Writes a part. If it is too large, leaves no file and returns false. */
async function writePart(content: AsyncIterable<Uint8Array>, file: string): Promise<boolean> {
  let size = 0;
  async function* bounded(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      size += chunk.length;
      if (size > maxPartBytes) return;
      yield chunk;
    }
  }
  await pipeline(bounded, createWriteStream(file, { mode: 0o600 }));
  if (size > maxPartBytes) await rm(file, { force: true });
  return size <= maxPartBytes;
}

function partFile({ folder }: Upload, part: number): string {
  return join(folder, String(part));
}
