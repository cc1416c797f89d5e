import * as z from "zod";
import { isRecord, parseJson } from "../json.ts";
import { noSeal } from "../receipts/receipt.ts";
import { canonicalJson } from "../signatures/canonical-json.ts";
import { hashPattern, publicKeyPattern, signaturePattern, statement } from "../signatures/statements.ts";
import { archiveKinds } from "./kinds.ts";

/*
 * The format of an archive: JSON lines. The first line says what the file has, the last one has the hash of all lines before it and the
 * organization's signature. Between them is one line a row.
 */

const format = "gleaner.archive";
/** A change of the lines needs a new version. */
const version = 1;

const hash = z.string().regex(hashPattern);

export const archiveHead = z.strictObject({
  format: z.literal(format),
  version: z.literal(version),
  organizationId: z.string().min(1).max(100),
  kind: z.enum(archiveKinds),
  /** The month (UTC) of its rows, such as "2027-01". */
  month: z.string().regex(/^\d{4}-\d{2}$/),
  /** From 1 in each kind, without gaps. A large month has several archives. */
  number: z.int().min(1),
  rows: z.int().min(1),
  /** The hash of the archive before, as a file; `noSeal` for the first. */
  previous: hash,
});
export type ArchiveHead = z.infer<typeof archiveHead>;

export const archiveEnd = z.strictObject({
  /** Of all lines before, with their line breaks. */
  sha256: hash,
  /** Null if the deployment had no signing key. */
  signedBy: z
    .strictObject({
      key: z.string().regex(publicKeyPattern),
      signature: z.string().regex(signaturePattern),
    })
    .nullable(),
});
export type ArchiveEnd = z.infer<typeof archiveEnd>;

export const noArchive = noSeal;

export type ArchivedRow = { readonly table: string; readonly row: Readonly<Record<string, unknown>> };

/** A row as a line: canonical JSON, with whole numbers of 64 bits as text. */
export function rowLine(table: string, row: Readonly<Record<string, unknown>>): string {
  return canonicalJson({ table, row: plain(row) });
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, plain(field)]));
}

/** The row of a line; null if it is none. */
export function readRow(line: string): ArchivedRow | null {
  const value = parseJson(line);
  if (!isRecord(value)) return null;
  const { table, row } = value;
  return typeof table === "string" && isRecord(row) ? { table, row } : null;
}

/** The first lines of an archive: its head and its rows. */
export function archiveBody(head: Omit<ArchiveHead, "format" | "version">, lines: readonly string[]): string {
  return [canonicalJson({ format, version, ...head }), ...lines, ""].join("\n");
}

/** The last line. */
export function archiveEndLine(end: ArchiveEnd): string {
  return `${canonicalJson(end)}\n`;
}

/** The text that the organization signs. `sha256`: as in the last line. */
export function archiveStatement(
  head: Pick<ArchiveHead, "organizationId" | "kind" | "number">,
  sha256: string,
): string {
  const { organizationId, kind, number } = head;
  return statement(format, version, { organizationId, kind, number, sha256 });
}

/** Whether a line begins an archive, also one of a newer version. */
export function isArchiveHead(line: string): boolean {
  return line.startsWith(`{"format":"${format}"`);
}

/** The rows of one archive, without its first and its last line. */
export function archiveLines(text: string): readonly string[] {
  return text.split("\n").slice(1, -2);
}

/**
 * The lines in groups that belong together: a transfer of the ledger, or a seal and its rows. Other rows are groups of their own. Rows of a
 * group are deleted in one transaction.
 */
export function groupsOf(lines: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let last: string | null = null;
  for (const line of lines) {
    const name = groupName(line);
    const group = groups.at(-1);
    if (group !== undefined && (name === "" || (name !== null && name === last))) group.push(line);
    else groups.push([line]);
    if (name !== "") last = name;
  }
  return groups;
}

/** The name that rows of a group share. Empty: the row belongs to the seal before it. Null: it is alone. */
function groupName(line: string): string | null {
  const found = readRow(line);
  switch (found?.table) {
    case "ledgerEntries":
      return String(found.row["transferKey"]);
    case "audit":
    case "receipts":
      return "";
    default:
      return null;
  }
}
