import { bytesOf } from "./bytes-of.ts";

/** More tables could fill the heap while an instance is made. A table has up to a million elements (`isolate/isolate-wasm.ts`). */
const mostTables = 64;

const header = 8;
const sections = { types: 1, tables: 4 };
const functionForm = 0x60;
/** They precede the kind of what a reference refers to. */
const referenceForms = new Set([0x63, 0x64]);

/**
 * Why a module of WebAssembly may not be compiled; null if it may. A single call of its code could fill the heap, which ends the
 * process: it has no ticks.
 */
export function wasmProblem(source: unknown): string | null {
  // V8 refuses a value that is no buffer.
  const bytes = bytesOf(source);
  let at = header;
  while (at < bytes.length) {
    const section = bytes[at];
    const size = numberAt(bytes, at + 1);
    const content = numberAt(bytes, size.end);
    if (section === sections.types && !hasOnlyFunctions(bytes, content))
      return "types of garbage-collected values are not supported";
    if (section === sections.tables && content.value > mostTables)
      return `a module may have ${String(mostTables)} tables`;
    at = size.end + size.value;
  }
  return null;
}

type Parsed = { readonly value: number; readonly end: number };

/** A number of up to five bytes, of seven bits each. */
function numberAt(bytes: Uint8Array, start: number): Parsed {
  let value = 0;
  for (let at = start, factor = 1; at < start + 5; at += 1, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return { value, end: at + 1 };
  }
  return { value, end: start + 5 };
}

function hasOnlyFunctions(bytes: Uint8Array, { value: count, end }: Parsed): boolean {
  let at = end;
  for (let type = 0; type < count && at < bytes.length; type += 1) {
    if (bytes[at] !== functionForm) return false;
    at = afterValues(bytes, afterValues(bytes, at + 1));
  }
  return true;
}

/** The position after a function's parameters or results. */
function afterValues(bytes: Uint8Array, start: number): number {
  const { value: count, end } = numberAt(bytes, start);
  let at = end;
  for (let each = 0; each < count && at < bytes.length; each += 1)
    at = referenceForms.has(bytes[at] ?? 0) ? numberAt(bytes, at + 1).end : at + 1;
  return at;
}
