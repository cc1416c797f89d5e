import { checkTrail, type Seal, type TrailRow } from "../audit/chain.ts";
import { parseJson } from "../json.ts";
import { readReceipt, type ReceiptCrypto, receiptProblem } from "../receipts/check-receipt.ts";
import { merkleLevels, merkleProof, merkleRoot } from "../receipts/merkle.ts";
import { type ReceiptSeal, receiptSealText, receiptVersion } from "../receipts/receipt.ts";
import {
  type ArchivedRow,
  type ArchiveEnd,
  archiveEnd,
  type ArchiveHead,
  archiveHead,
  archiveLines,
  archiveStatement,
  groupsOf,
  isArchiveHead,
  noArchive,
  readRow,
} from "./file.ts";

export type CheckedArchive = {
  readonly head: ArchiveHead;
  readonly end: ArchiveEnd;
  /** The hash of the whole file: the next archive has it. */
  readonly sha256: string;
};

export type ArchiveReport = {
  readonly archives: readonly CheckedArchive[];
  /** Why something does not fit; null if all fits. */
  readonly problem: string | null;
};

/**
 * Checks a file with one archive, or with several one after the other: hashes, signatures, the chain between them, and what their rows
 * must fit to: transfers sum to zero, and the seals of the trail and of receipts cover their rows.
 * @param key the organization's public key, or its beginning, if the reader knows it.
 */
export async function checkArchives(
  text: string,
  crypto: ReceiptCrypto,
  key: string | null,
): Promise<ArchiveReport> {
  const archives: CheckedArchive[] = [];
  const files = split(text);
  for (const file of files) {
    const read = await readArchive(file, crypto);
    if (typeof read === "string") return { archives, problem: named(files.length, archives.length, read) };
    const problem = signatureProblem(read, key) ?? (await contentProblem(read, file, crypto));
    if (problem !== null) return { archives, problem: named(files.length, archives.length, problem) };
    if (!(await isSigned(read, crypto)))
      return {
        archives,
        problem: named(files.length, archives.length, "The organization's signature does not fit."),
      };
    archives.push(read);
  }
  return { archives, problem: chainProblem(archives) };
}

function named(files: number, at: number, problem: string): string {
  return files === 1 ? problem : `Archive ${String(at + 1)} of the file: ${problem}`;
}

/** The text of each archive in a file. */
function split(text: string): readonly string[] {
  const files: string[] = [];
  let from = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
    const next = text.slice(at + 1, at + 400);
    if (!isArchiveHead(next.split("\n", 1)[0] ?? "")) continue;
    files.push(text.slice(from, at + 1));
    from = at + 1;
  }
  return [...files, text.slice(from)];
}

async function readArchive(text: string, { hash }: ReceiptCrypto): Promise<CheckedArchive | string> {
  const first = text.slice(0, text.indexOf("\n"));
  const head = archiveHead.safeParse(parseJson(first));
  if (!head.success) return "This is no archive, or one of a newer version. Update Gleaner to check it.";
  const endAt = text.lastIndexOf("\n", text.length - 2) + 1;
  const end = archiveEnd.safeParse(parseJson(text.slice(endAt)));
  if (!text.endsWith("\n") || !end.success) return "The archive has no last line: a part of it is missing.";
  if ((await hash(text.slice(0, endAt))) !== end.data.sha256)
    return "The archive was changed: its hash does not fit.";
  const rows = archiveLines(text).length;
  if (rows !== head.data.rows) return "The archive does not have the number of rows that it names.";
  return { head: head.data, end: end.data, sha256: await hash(text) };
}

function signatureProblem({ end: { signedBy } }: CheckedArchive, key: string | null): string | null {
  if (signedBy === null)
    return "The archive is not signed: the server had no signing key. Only its hash in the audit trail vouches for it.";
  return key === null || signedBy.key.startsWith(key)
    ? null
    : "The archive is signed with another key than the one that you named.";
}

async function isSigned({ head, end }: CheckedArchive, crypto: ReceiptCrypto): Promise<boolean> {
  const { signedBy, sha256 } = end;
  if (signedBy === null) return false;
  return await crypto.isSigned(signedBy.key, signedBy.signature, archiveStatement(head, sha256));
}

/** Why archives do not follow each other; null if they do. Archives between them may be missing. */
function chainProblem(archives: readonly CheckedArchive[]): string | null {
  const known = new Map<string, string>();
  const name = ({ organizationId, kind }: ArchiveHead, number: number): string =>
    `${organizationId} ${kind} ${String(number)}`;
  for (const { head, sha256 } of archives) {
    const own = name(head, head.number);
    if (known.has(own)) return `Archive ${String(head.number)} of kind ${head.kind} is in the file twice.`;
    known.set(own, sha256);
  }
  for (const { head } of archives) {
    const before = head.number === 1 ? noArchive : known.get(name(head, head.number - 1));
    if (before !== undefined && before !== head.previous)
      return `Archive ${String(head.number)} of kind ${head.kind} does not follow the one before it.`;
  }
  return null;
}

async function contentProblem(
  { head }: CheckedArchive,
  text: string,
  crypto: ReceiptCrypto,
): Promise<string | null> {
  const lines = archiveLines(text);
  const groups: ArchivedRow[][] = [];
  for (const group of groupsOf(lines)) {
    const rows = group.map(readRow).filter((row) => row !== null);
    if (rows.length !== group.length) return "A line of the archive is no row.";
    groups.push(rows);
  }
  if (head.kind === "ledger") return transfersProblem(groups);
  if (head.kind === "audit") return await trailProblem(groups, crypto);
  return head.kind === "receipts" ? await receiptsProblem(groups, crypto) : null;
}

function transfersProblem(groups: readonly (readonly ArchivedRow[])[]): string | null {
  for (const group of groups) {
    const sum = group.reduce((total, { row }) => total + microOf(row["micro"]), 0n);
    if (sum !== 0n) return `Transfer ${String(group[0]?.row["transferKey"])} does not sum to zero.`;
  }
  return null;
}

function microOf(value: unknown): bigint {
  return typeof value === "string" && /^-?\d{1,30}$/.test(value) ? BigInt(value) : 0n;
}

async function trailProblem(
  groups: readonly (readonly ArchivedRow[])[],
  { hash }: ReceiptCrypto,
): Promise<string | null> {
  const all = groups.flat();
  const seals = all.flatMap(({ table, row }) => (table === "auditSeals" ? [row as unknown as Seal] : []));
  const rows = all.flatMap(({ table, row }) => (table === "audit" ? [trailRowOf(row)] : []));
  const { broken, unsealedRows } = await checkTrail({ rows, seals }, hash);
  if (broken !== null) return `Seal ${String(broken.number)} of the trail does not fit. ${broken.why}`;
  return unsealedRows === 0 ? null : "A row of the trail is in no seal.";
}

function trailRowOf(row: ArchivedRow["row"]): TrailRow {
  const { _id: id, _creationTime: createdAt, ...rest } = row;
  return { ...rest, id, createdAt } as unknown as TrailRow;
}

/** Checks the receipts of each seal as single ones: with their steps to its root. */
async function receiptsProblem(
  groups: readonly (readonly ArchivedRow[])[],
  crypto: ReceiptCrypto,
): Promise<string | null> {
  let before: Readonly<Record<string, unknown>> | null = null;
  for (const [seal, ...rows] of groups) {
    if (seal?.table !== "receiptSeals") return "A receipt is in no seal.";
    const { organizationId, number, count, root, previous, hash, signedBy = null } = seal.row;
    if (before !== null && before["hash"] !== previous)
      return `Seal ${String(number)} of the receipts does not follow the seal before it.`;
    before = seal.row;
    if (count !== rows.length) return `Seal ${String(number)} does not have all of its receipts.`;
    const texts = rows.map(({ row }) => String(row["entry"]));
    const levels = await merkleLevels(texts, crypto.hash);
    if (signedBy === null) {
      // The deployment had no signing key at that time.
      const isWhole = merkleRoot(levels) === root;
      if (!isWhole || (await crypto.hash(receiptSealText(seal.row as unknown as ReceiptSeal))) !== hash)
        return `Seal ${String(number)} of the receipts was changed, or one of its receipts.`;
      continue;
    }
    for (const [at, text] of texts.entries()) {
      const proven = {
        organizationId,
        number,
        count,
        root,
        previous,
        hash,
        signedBy,
        proof: merkleProof(levels, at),
      };
      const entry = parseJson(text) as object;
      const read = readReceipt({ object: "receipt", ...entry, version: receiptVersion, seal: proven });
      if (read.kind === "wrong") return read.why;
      const problem = await receiptProblem(read.receipt, crypto, null);
      if (problem !== null) return `Job ${read.receipt.settled.jobId}: ${problem}`;
    }
  }
  return null;
}
