import type { DocumentJson } from "../model/types.ts";

/** Length of JSON text per generation; there are two. Parsed, it takes about three times as many bytes. */
const defaultGenerationLength = 2_000_000;

type Cached = { readonly document: DocumentJson; readonly length: number };

/** Parsed documents by id. A document not used while a generation fills up is dropped with that generation. */
export class DocumentCache {
  readonly #generationLength: number;
  #young = new Map<string, Cached>();
  #old = new Map<string, Cached>();
  #length = 0;

  constructor(generationLength = defaultGenerationLength) {
    this.#generationLength = generationLength;
  }

  get(id: string): DocumentJson | undefined {
    const young = this.#young.get(id);
    if (young !== undefined) return young.document;
    const old = this.#old.get(id);
    if (old === undefined) return undefined;
    this.#put(id, old);
    return old.document;
  }

  /** @param length length of the document's JSON text. */
  set(id: string, document: DocumentJson, length: number): void {
    this.#old.delete(id);
    this.#put(id, { document, length });
  }

  delete(id: string): void {
    this.#young.delete(id);
    this.#old.delete(id);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
    this.#length = 0;
  }

  #put(id: string, cached: Cached): void {
    if (this.#length + cached.length > this.#generationLength) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#length = 0;
    }
    this.#young.set(id, cached);
    this.#length += cached.length;
  }
}
