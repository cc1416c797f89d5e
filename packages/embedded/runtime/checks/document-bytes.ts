import type { DocumentJson } from "../../engine/model/types.ts";
import { measureValue } from "./measure-value.ts";

const known = new WeakMap<DocumentJson, number>();

/** Returns a stored document's size in bytes. Cached, since documents are immutable and read often. */
export function documentBytes(document: DocumentJson): number {
  const cached = known.get(document);
  if (cached !== undefined) return cached;
  const measured = measureValue(document);
  const bytes = measured.kind === "fits" ? measured.bytes : 0;
  known.set(document, bytes);
  return bytes;
}
