import { createHash } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { sha256Of } from "../../store/verify-file.ts";
import { discardPart } from "./discard-part.ts";
import { loadPartState, type PartState, savePartState, statePath } from "./part-state.ts";
import { bitsOf, PieceLayout, piecesIn } from "./piece-layout.ts";
import { readFully } from "./read-fully.ts";

/** The wanted file. */
export type PartSpec = {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly source: string;
  readonly pieceBytes: number;
  /** Null if only the whole file can be verified. */
  readonly pieceHashes: readonly string[] | null;
};

/**
 * A partly downloaded file. A small JSON file beside it lists the complete pieces. A process that is killed at
 * any byte loses nothing: the file itself shows how far a begun piece came. Each chunk is written with a
 * nonzero mark after its last byte. The next chunk overwrites the mark, and zeros follow it.
 */
export class PartFile {
  readonly spec: PartSpec;
  readonly layout: PieceLayout;
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #done: Set<number>;
  /** The number of bytes of each begun piece. */
  readonly #begun: Map<number, number>;
  #validator: string | null;
  #failures: number;
  #failedAt: number | null;
  #saving: Promise<void> = Promise.resolve();

  private constructor(path: string, handle: FileHandle, spec: PartSpec, state: PartState | null) {
    this.#path = path;
    this.#handle = handle;
    this.spec = spec;
    this.layout = new PieceLayout(spec.sizeBytes, spec.pieceBytes);
    this.#done = (state === null ? null : piecesIn(state.done, this.layout.count)) ?? new Set();
    const begun = (state?.begun ?? []).filter((piece) => piece < this.layout.count && !this.#done.has(piece));
    this.#begun = new Map(begun.map((piece) => [piece, 0]));
    this.#validator = state?.validator ?? null;
    this.#failures = state?.failures ?? 0;
    this.#failedAt = state?.failedAt ?? null;
  }

  /** Continues an earlier process's file if it is for the same bytes. */
  static async open(path: string, spec: PartSpec): Promise<PartFile> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const found = await loadPartState(statePath(path));
    const same = found?.sizeBytes === spec.sizeBytes && found.pieceBytes === spec.pieceBytes;
    // From another source, unverified pieces may belong to another file, and earlier failures do not count.
    const trusted = same && (found.source === spec.source || spec.pieceHashes !== null);
    if (!trusted) await discardPart(path);
    const state = !trusted
      ? null
      : found.source === spec.source
        ? found
        : { ...found, validator: null, failures: 0, failedAt: null };
    const handle = await open(path, "a+").then(async (created) => {
      await created.close();
      return await open(path, "r+");
    });
    const part = new PartFile(path, handle, spec, state);
    if ((await handle.stat()).size === 0) {
      part.#done.clear();
      part.#begun.clear();
    }
    for (const piece of part.#begun.keys()) part.#begun.set(piece, await part.#writtenOf(piece));
    return part;
  }

  get done(): ReadonlySet<number> {
    return this.#done;
  }

  /** The incomplete pieces. */
  get begun(): ReadonlySet<number> {
    return new Set(this.#begun.keys());
  }

  get complete(): boolean {
    return this.#done.size === this.layout.count;
  }

  get failures(): number {
    return this.#failures;
  }

  get failedAt(): number | null {
    return this.#failedAt;
  }

  get validator(): string | null {
    return this.#validator;
  }

  /** Downloaded bytes, verified or not. */
  get heldBytes(): number {
    let bytes = 0;
    for (const piece of this.#done) bytes += this.layout.bytesOf(piece);
    for (const held of this.#begun.values()) bytes += held;
    return bytes;
  }

  /** Begins a piece. Resolves to its existing bytes, where the download continues. */
  async begin(piece: number): Promise<number> {
    const held = this.#begun.get(piece);
    if (held !== undefined) return held;
    this.#begun.set(piece, 0);
    await this.#save();
    return 0;
  }

  /** @param at the offset within the piece, where the previous write ended. */
  async write(piece: number, at: number, bytes: Buffer): Promise<void> {
    const end = at + bytes.length;
    const ends = end === this.layout.bytesOf(piece);
    await this.#put(this.layout.startOf(piece) + at, ends ? bytes : Buffer.concat([bytes, mark]));
    this.#begun.set(piece, end);
  }

  /** Verifies a piece after its last byte. Empties it if its hash is wrong. */
  async finish(piece: number): Promise<"kept" | "corrupt"> {
    if (!(await this.#isGood(piece))) {
      await this.#empty(piece);
      return "corrupt";
    }
    // A complete piece must survive a power cut.
    await this.#handle.datasync();
    this.#begun.delete(piece);
    this.#done.add(piece);
    await this.#save();
    return "kept";
  }

  /** Reads a complete piece. Resolves to null if it cannot be read. */
  async read(piece: number): Promise<Buffer | null> {
    if (!this.#done.has(piece)) return null;
    return await this.#readPiece(piece).catch(() => null);
  }

  /** The server has another file or another validator for it. Unverified pieces are dropped. */
  async sourceIs(validator: string | null): Promise<void> {
    if (validator === this.#validator) return;
    const first = this.#validator === null;
    this.#validator = validator;
    if (!first) await this.forgetUnverified();
    else await this.#save();
  }

  async forgetUnverified(): Promise<void> {
    for (const piece of [...this.#begun.keys()]) await this.#empty(piece);
    if (this.spec.pieceHashes === null) {
      this.#done.clear();
      await this.#handle.truncate(0);
    }
    await this.#save();
  }

  async countFailure(now: number): Promise<void> {
    this.#failures++;
    this.#failedAt = now;
    await this.#save();
  }

  async forgiveFailures(): Promise<void> {
    this.#failures = 0;
    this.#failedAt = null;
    await this.#save();
  }

  /**
   * Verifies the whole file. If its hash is wrong, drops the wrong pieces, or all of them without hashes of
   * pieces. `disagree` means that each piece is right but the whole is not.
   */
  async verifyWhole(signal: AbortSignal): Promise<"right" | "wrong" | "disagree" | "aborted"> {
    const hash = createHash("sha256");
    const wrong: number[] = [];
    for (let piece = 0; piece < this.layout.count; piece++) {
      if (signal.aborted) return "aborted";
      const bytes = await this.#readPiece(piece);
      hash.update(bytes);
      const expected = this.spec.pieceHashes?.[piece];
      if (expected !== undefined && sha256Of(bytes) !== expected) wrong.push(piece);
    }
    if (hash.digest("hex") === this.spec.sha256) return "right";
    if (this.spec.pieceHashes !== null && wrong.length === 0) return "disagree";
    if (this.spec.pieceHashes === null) await this.forgetUnverified();
    for (const piece of wrong) {
      this.#done.delete(piece);
      await this.#empty(piece);
    }
    return "wrong";
  }

  /** Moves the verified file to its place. */
  async moveTo(path: string): Promise<void> {
    await this.#handle.sync();
    await this.close();
    await rename(this.#path, path);
    await rm(statePath(this.#path), { force: true });
  }

  /** Closes the file and keeps its bytes. */
  async close(): Promise<void> {
    await this.#saving;
    await this.#handle.close().catch(() => undefined);
  }

  async #isGood(piece: number): Promise<boolean> {
    const expected = this.spec.pieceHashes?.[piece];
    return expected === undefined || sha256Of(await this.#readPiece(piece)) === expected;
  }

  /** Fills the piece with zeros, so that none of it counts as written. */
  async #empty(piece: number): Promise<void> {
    await this.#put(this.layout.startOf(piece), Buffer.alloc(this.layout.bytesOf(piece)));
    this.#begun.delete(piece);
    await this.#save();
  }

  async #writtenOf(piece: number): Promise<number> {
    const start = this.layout.startOf(piece);
    const { size } = await this.#handle.stat();
    const length = Math.max(0, Math.min(this.layout.bytesOf(piece), size - start));
    const bytes = await readFully(this.#handle, start, length);
    // The piece may be complete at the end of the file. Then no mark follows.
    const expected = this.spec.pieceHashes?.[piece];
    if (expected !== undefined && sha256Of(bytes) === expected) return length;
    let end = length;
    while (end > 0 && bytes[end - 1] === 0) end--;
    return Math.max(0, end - mark.length);
  }

  async #put(position: number, bytes: Buffer): Promise<void> {
    let written = 0;
    while (written < bytes.length) {
      const rest = bytes.length - written;
      const { bytesWritten } = await this.#handle.write(bytes, written, rest, position + written);
      written += bytesWritten;
    }
  }

  async #readPiece(piece: number): Promise<Buffer> {
    return await readFully(this.#handle, this.layout.startOf(piece), this.layout.bytesOf(piece));
  }

  /** Saves in order, since several pieces are fetched at once. */
  #save(): Promise<void> {
    const save = async (): Promise<void> =>
      await savePartState(statePath(this.#path), {
        sizeBytes: this.spec.sizeBytes,
        pieceBytes: this.spec.pieceBytes,
        done: bitsOf(this.#done, this.layout.count),
        begun: [...this.#begun.keys()],
        source: this.spec.source,
        validator: this.#validator,
        failures: this.#failures,
        failedAt: this.#failedAt,
      });
    const saved = this.#saving.then(save);
    this.#saving = saved.catch(() => undefined);
    return saved;
  }
}

const mark = Buffer.from([0xff]);
