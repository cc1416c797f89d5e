import * as z from "zod";
import type { Seal, TrailRow } from "./chain.ts";

/** An exported trail: one JSON object a line, the rows and after them the seals. */
export function jsonLines(rows: readonly object[], seals: readonly Seal[]): string {
  const lines = [
    ...rows.map((row) => JSON.stringify({ kind: "row", ...withoutNulls(row) })),
    ...seals.map((seal) => JSON.stringify({ kind: "seal", ...seal })),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function withoutNulls(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

const text = z.string().max(100_000);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const row = z.object({
  kind: z.literal("row"),
  id: text,
  createdAt: z.number(),
  at: z.number(),
  actor: text,
  memberId: text.optional(),
  keyId: text.optional(),
  sessionId: text.optional(),
  method: text.optional(),
  agent: text.optional(),
  address: text.optional(),
  action: text,
  subject: text,
  detail: text.optional(),
});
const seal = z.object({
  kind: z.literal("seal"),
  organizationId: text,
  number: z.int().positive(),
  from: z.number(),
  to: z.number(),
  count: z.int().positive(),
  rows: hash,
  previous: hash,
  hash,
});
const anyLine = z.discriminatedUnion("kind", [row, seal]);

/** Reads an exported trail. Throws an Error that names the first wrong line. */
export function readJsonLines(file: string): { readonly rows: TrailRow[]; readonly seals: Seal[] } {
  const [rows, seals]: [TrailRow[], Seal[]] = [[], []];
  for (const [index, line] of file.split("\n").entries()) {
    if (line.trim() === "") continue;
    const parsed = anyLine.safeParse(jsonOf(line));
    if (!parsed.success)
      throw new Error(`Line ${String(index + 1)} is no entry and no seal of an audit trail.`);
    const { kind, ...value } = parsed.data;
    if (kind === "row") rows.push(value as TrailRow);
    else seals.push(value as Seal);
  }
  return { rows, seals };
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
