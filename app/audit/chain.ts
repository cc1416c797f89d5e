import { plural } from "../format/quantity.ts";
import { canonicalJson } from "../signatures/canonical-json.ts";
import { statement } from "../signatures/statements.ts";

/** A row of the audit trail as seals cover it. Absent fields are not known, or belong to other kinds of rows. */
export type TrailRow = {
  readonly id: string;
  /** ms epoch with fractions, as Convex creates rows. It orders the trail. */
  readonly createdAt: number;
  readonly at: number;
  readonly actor: string;
  readonly memberId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly method?: string | undefined;
  readonly agent?: string | undefined;
  readonly address?: string | undefined;
  readonly action: string;
  readonly subject: string;
  readonly detail?: string | undefined;
};

/** Closes the rows after the seal before it, up to `to`. Each seal has the hash of the one before: they are a chain. */
export type Seal = {
  readonly organizationId: string;
  /** From 1, without gaps. */
  readonly number: number;
  /** `createdAt` of the first and the last row. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** The hash of the rows in canonical JSON, one a line. */
  readonly rows: string;
  /** The hash of the seal before; `noSeal` for the first. */
  readonly previous: string;
  /** The hash of all that. */
  readonly hash: string;
};

/** A SHA-256 in lower-case hex. */
export type Hash = (text: string) => Promise<string>;

export const noSeal = "0".repeat(64);

type SealHead = Pick<Seal, "number" | "to" | "hash">;

/** Seals the next rows. There is at least one. */
export async function sealRows(
  organizationId: string,
  before: SealHead | null,
  rows: readonly TrailRow[],
  hash: Hash,
): Promise<Seal> {
  const ordered = inOrder(rows);
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (first === undefined || last === undefined) throw new Error("no rows to seal");
  const seal = {
    organizationId,
    number: (before?.number ?? 0) + 1,
    from: first.createdAt,
    to: last.createdAt,
    count: ordered.length,
    rows: await hash(rowsText(ordered)),
    previous: before?.hash ?? noSeal,
  };
  return { ...seal, hash: await hash(sealText(seal)) };
}

/**
 * Why a seal does not fit its rows and the seal before it; null if it fits. `rows`: all rows after the seal before it, up to its
 * own end.
 */
export async function sealProblem(
  seal: Seal,
  before: SealHead | null,
  rows: readonly TrailRow[],
  hash: Hash,
): Promise<string | null> {
  if (seal.number !== (before?.number ?? 0) + 1) return "A seal is missing before it.";
  if (seal.previous !== (before?.hash ?? noSeal)) return "The seal before it was changed or replaced.";
  return await contentProblem(seal, rows, hash);
}

async function contentProblem(seal: Seal, rows: readonly TrailRow[], hash: Hash): Promise<string | null> {
  if ((await hash(sealText(seal))) !== seal.hash) return "The seal itself was changed.";
  const missing = seal.count - rows.length;
  if (missing > 0) return plural(missing, ["# of its rows is missing.", "# of its rows are missing."]);
  if (missing < 0) return plural(-missing, ["# row was added to it.", "# rows were added to it."]);
  if ((await hash(rowsText(inOrder(rows)))) !== seal.rows) return "A row was changed.";
  return null;
}

export type TrailReport = {
  /** Seals that fit, and the rows that they cover. */
  readonly seals: number;
  readonly sealedRows: number;
  /** Rows before the first seal, or after the last one: nothing vouches for them. */
  readonly unsealedRows: number;
  /** The first seal that does not fit. */
  readonly broken: { readonly number: number; readonly why: string } | null;
};

/**
 * Checks an exported part of a trail, in any order. Its first seal need not be the trail's first: then only what follows is
 * checked.
 */
export async function checkTrail(
  { rows, seals }: { readonly rows: readonly TrailRow[]; readonly seals: readonly Seal[] },
  hash: Hash,
): Promise<TrailReport> {
  const ordered = [...seals].sort((a, b) => a.number - b.number);
  const [first] = ordered;
  let sealedRows = 0;
  let before: SealHead | null = null;
  const left = inOrder(rows);
  const older = first === undefined ? [] : left.filter(({ createdAt }) => createdAt < first.from);
  let next = older.length;
  const report = (seals: number, broken: TrailReport["broken"]): TrailReport => {
    return { seals, sealedRows, unsealedRows: left.length - sealedRows, broken };
  };
  for (const [index, seal] of ordered.entries()) {
    const end = firstAfter(left, next, seal.to);
    const covered = left.slice(next, end);
    const why: string | null =
      index === 0 && seal.number > 1
        ? await contentProblem(seal, covered, hash)
        : await sealProblem(seal, before, index === 0 ? left.slice(0, end) : covered, hash);
    if (why !== null) return report(index, { number: seal.number, why });
    sealedRows += covered.length;
    next = end;
    before = seal;
  }
  return report(ordered.length, null);
}

function firstAfter(rows: readonly TrailRow[], from: number, to: number): number {
  let end = from;
  while (end < rows.length && (rows[end]?.createdAt ?? Infinity) <= to) end++;
  return end;
}

function inOrder(rows: readonly TrailRow[]): TrailRow[] {
  return [...rows].sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

function rowsText(rows: readonly TrailRow[]): string {
  return rows.map(rowText).join("\n");
}

/** Only the fields of a row: an exported one has more, such as names. */
function rowText(row: TrailRow): string {
  const { id, createdAt, at, actor, memberId, keyId, sessionId, method, agent, address } = row;
  const { action, subject, detail } = row;
  const who = { actor, memberId, keyId, sessionId, method, agent, address };
  return canonicalJson({ id, createdAt, at, ...who, action, subject, detail });
}

function sealText(seal: Omit<Seal, "hash">): string {
  const { organizationId, number, from, to, count, rows, previous } = seal;
  return statement("gleaner.audit-seal", 1, { organizationId, number, from, to, count, rows, previous });
}
