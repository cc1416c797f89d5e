import type { JSONValue } from "convex/values";
import type { DocumentJson } from "../engine/model/types.ts";
import { errorMessage } from "../values/errors.ts";

/**
 * Formats a stored value as Convex's exports do: 64-bit integers as JSON integers, floats always with a point
 * or an exponent. Bytes, and floats that JSON lacks, keep their stored encoding.
 */
export function exportText(value: JSONValue): string {
  if (typeof value === "number") return floatText(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(exportText).join(",")}]`;
  const integer = value["$integer"];
  if (typeof integer === "string") return readInteger(integer).toString();
  const float = value["$float"];
  if (typeof float === "string" && Object.is(Buffer.from(float, "base64").readDoubleLE(), -0)) return "-0.0";
  const fields = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}:${exportText(each)}`);
  return `{${fields.join(",")}}`;
}

/** Formats one line of `documents.jsonl`, with the line break. */
export function exportLine(document: DocumentJson): string {
  return `${exportText(document)}\n`;
}

type ParsedLine =
  { readonly kind: "ok"; readonly value: JSONValue } | { readonly kind: "invalid"; readonly reason: string };

/**
 * Meaning of numbers without a point. In an export they are 64-bit integers; in files that people write they
 * are floats.
 */
export type NumberStyle = "exported" | "plain";

// V8 passes the reviver the source text, which TypeScript does not declare yet.
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

const integerPattern = /^-?\d+$/;
const maxInt64 = 2n ** 63n - 1n;

/** Parses a line into Convex's JSON encoding. The caller checks the value. */
export function parseExportText(text: string, style: NumberStyle): ParsedLine {
  const reviver: Reviver = (_, value, { source }) => {
    if (typeof value !== "number") return value;
    const isInteger = style === "exported" && source !== undefined && integerPattern.test(source);
    return isInteger ? integerJson(source, value) : floatJson(value);
  };
  try {
    return { kind: "ok", value: JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]) as JSONValue };
  } catch (error) {
    return { kind: "invalid", reason: errorMessage(error) };
  }
}

/** Encodes a float in Convex's JSON encoding. */
export function floatJson(value: number): JSONValue {
  if (Number.isFinite(value) && !Object.is(value, -0)) return value;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return { $float: bytes.toString("base64") };
}

function integerJson(source: string, value: number): JSONValue {
  const integer = BigInt(source);
  if (integer > maxInt64 || integer < -maxInt64 - 1n) return floatJson(value);
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(integer);
  return { $integer: bytes.toString("base64") };
}

function readInteger(base64: string): bigint {
  return Buffer.from(base64, "base64").readBigInt64LE();
}

function floatText(value: number): string {
  const text = JSON.stringify(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
