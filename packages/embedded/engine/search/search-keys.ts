import type { JSONValue, Value } from "convex/values";
import { decodeDocumentId } from "../../values/document-id.ts";
import { valueAt } from "../../values/keys/field-path.ts";
import { type Key, keyFromBytes, keyToBytes } from "../../values/keys/key.ts";
import { encodeKey } from "../../values/keys/key-encoding.ts";
import type { SearchDefinition } from "../../values/keys/search-definition.ts";
import { lengthCode } from "./bm25.ts";
import { termsOf } from "./terms.ts";

/** The keys with lower <= key < upper. */
export type KeyBounds = { readonly lower: Key; readonly upper: Key };

/** Creation time and id of a document within keys: 24 bytes that sort by the time. */
export type DocumentRef = string;

/** A term in a document, as its key has it. */
type Posting = {
  readonly term: Key;
  readonly ref: DocumentRef;
  readonly count: number;
  readonly lengthCode: number;
};

type Document = { readonly [field: string]: JSONValue };

/** The families of a search index's keys. No key of an ordered index starts so. */
const tags = { document: "\x10", filter: "\x11", term: "\x12", vector: "\x13" } as const;
const endOfTerm = "\0";
const refBytes = 24;
const countBytes = 4;
/** Larger counts are written in four bytes. */
const longCount = 0xff;

/** The keys of a document in a search index. An index has many for each document. */
export function searchKeysOf(definition: SearchDefinition, document: Document): readonly Key[] {
  return definition.kind === "text" ? textKeys(definition, document) : vectorKeys(definition, document);
}

/** The fields on which a document's keys depend, besides those that never change. */
export function searchedFields(definition: SearchDefinition): readonly string[] {
  const searched = definition.kind === "text" ? definition.searchField : definition.vectorField;
  return [searched, ...definition.filterFields];
}

/**
 * One key tells the number of terms, for the average of all documents. One for each filter field has its value. One for each
 * term tells how often it occurs, and roughly how long the document is, so that scoring reads no documents.
 */
function textKeys(
  { searchField, filterFields }: SearchDefinition & { kind: "text" },
  document: Document,
): Key[] {
  const ref = refOf(document);
  const text = valueAt(document, searchField);
  const counts = new Map<string, number>();
  let length = 0;
  for (const term of typeof text === "string" ? termsOf(text) : []) {
    length += 1;
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  const keys = [tags.document + ref + uint32(length)];
  if (length === 0) return keys;
  const code = String.fromCharCode(lengthCode(length));
  // Sorted, because ordered keys are stored faster.
  const terms = [...counts].map(
    ([term, count]) => termPrefix(term) + endOfTerm + ref + code + countText(count),
  );
  return [...keys, ...filterKeys(filterFields, document, ref), ...terms.sort()];
}

/** A document without a vector of the right length has no keys. */
function vectorKeys(
  { vectorField, dimensions, filterFields }: SearchDefinition & { kind: "vector" },
  document: Document,
): Key[] {
  const vector = valueAt(document, vectorField);
  if (!Array.isArray(vector) || vector.length !== dimensions) return [];
  if (!vector.every((each) => typeof each === "number")) return [];
  const ref = refOf(document);
  const bytes = keyFromBytes(new Uint8Array(Float32Array.from(vector).buffer));
  return [...filterKeys(filterFields, document, ref), tags.vector + ref + bytes];
}

function filterKeys(fields: readonly string[], document: Document, ref: DocumentRef): Key[] {
  return fields.map((field, at) => filterPrefix(at, valueAt(document, field)) + ref);
}

/** The keys of all documents of a text index. */
export const documentBounds: KeyBounds = { lower: tags.document, upper: tags.filter };

/** The keys of all vectors. */
export const vectorBounds: KeyBounds = { lower: tags.vector, upper: above(tags.vector) };

/** The keys of a term. */
export function termBounds(term: string): KeyBounds {
  const lower = termPrefix(term) + endOfTerm;
  return { lower, upper: above(lower) };
}

/** The keys of all longer terms that begin with a term. They follow its own. */
export function longerTermBounds(term: string): KeyBounds {
  return { lower: termBounds(term).upper, upper: above(termPrefix(term)) };
}

/** The keys of the documents whose filter field, the `at`-th of the definition, has a value. */
export function filterBounds(at: number, value: Value | undefined): KeyBounds {
  const lower = filterPrefix(at, value);
  return { lower, upper: above(lower) };
}

/** The key of one document's vector. */
export function vectorBoundsOf(ref: DocumentRef): KeyBounds {
  const lower = tags.vector + ref;
  return { lower, upper: above(lower) };
}

/** Whether a key tells the number of a document's terms. */
export function isDocumentKey(key: Key): boolean {
  return key.startsWith(tags.document);
}

/** The number of terms that the key of a document tells. */
export function termCount(key: Key): number {
  return uint32At(key, tags.document.length + refBytes);
}

/** The document of a filter field's key, which ends with it. */
export function filterRef(key: Key): DocumentRef {
  return key.slice(-refBytes);
}

/** Reads the key of a term in a document. */
export function readPosting(key: Key): Posting {
  const at = key.indexOf(endOfTerm, tags.term.length) + endOfTerm.length;
  const count = key.charCodeAt(at + refBytes + 1);
  return {
    term: key.slice(0, at),
    ref: key.slice(at, at + refBytes),
    lengthCode: key.charCodeAt(at + refBytes),
    count: count < longCount ? count : uint32At(key, at + refBytes + 2),
  };
}

/** Reads the key of a document's vector. */
export function readVector(key: Key): { readonly ref: DocumentRef; readonly vector: Float32Array } {
  const start = tags.vector.length + refBytes;
  // A copy is aligned, as the array needs it.
  const bytes = Uint8Array.from(keyToBytes(key.slice(start)));
  return { ref: key.slice(tags.vector.length, start), vector: new Float32Array(bytes.buffer) };
}

/** References in the opposite order. */
export function descending(ref: DocumentRef): Key {
  return keyFromBytes(keyToBytes(ref).map((byte) => 0xff - byte));
}

function refOf(document: Document): DocumentRef {
  const internalId = decodeDocumentId(document["_id"] as string)?.internalId;
  if (internalId === undefined) throw new TypeError("The document has no id.");
  // Without the type's tag.
  const time = encodeKey([document["_creationTime"]]).slice(1);
  return time + keyFromBytes(internalId);
}

function termPrefix(term: string): Key {
  return tags.term + keyFromBytes(Buffer.from(term, "utf8"));
}

function filterPrefix(at: number, value: Value | undefined): Key {
  return tags.filter + String.fromCharCode(at) + encodeKey([value]);
}

/** The lowest key above all that begin with a prefix. */
function above(prefix: Key): Key {
  const trimmed = prefix.replace(/\xff+$/u, "");
  return trimmed.slice(0, -1) + String.fromCharCode(trimmed.charCodeAt(trimmed.length - 1) + 1);
}

function countText(count: number): string {
  return count < longCount ? String.fromCharCode(count) : String.fromCharCode(longCount) + uint32(count);
}

function uint32(value: number): string {
  return String.fromCharCode(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

function uint32At(text: string, start: number): number {
  let value = 0;
  for (let at = start; at < start + countBytes; at++) value = value * 0x100 + text.charCodeAt(at);
  return value;
}
