import type { FunctionReturnType } from "convex/server";
import { actionWords } from "../../../app/audit.ts";
import type { Seal } from "../../../app/audit/chain.ts";
import { csvOf } from "../../../app/format/csv.ts";
import type { api } from "../../../convex/_generated/api.js";
import { allPages } from "../data/all-pages.ts";
import type { AuditRow } from "../data/rows.ts";

/** More rows do not fit into one export: choose a shorter time. */
const maxExported = 100_000;

export class ExportTooLarge extends Error {
  constructor() {
    super("There are too many entries for one file. Choose a shorter time.");
  }
}

export type ExportSource = {
  /** A page of the chosen rows, newest first. */
  readonly page: (cursor: string | null) => Promise<FunctionReturnType<typeof api.console.audit.list>>;
  /** The seals that end after a moment, oldest first. */
  readonly seals: (after: number) => Promise<readonly Seal[]>;
};

/** All chosen rows, oldest first. `onRows`: how many there are so far. Rejects if there are too many. */
export async function collectRows(
  { page }: Pick<ExportSource, "page">,
  onRows: (count: number) => void,
): Promise<readonly AuditRow[]> {
  const rows = await allPages(page, (count) => {
    onRows(count);
    if (count > maxExported) throw new ExportTooLarge();
  });
  return rows.reverse();
}

/** The seals whose rows are all among those between two moments. */
export async function collectSeals(
  { seals }: Pick<ExportSource, "seals">,
  from: number,
): Promise<readonly Seal[]> {
  const all: Seal[] = [];
  for (;;) {
    const next = await seals(all.at(-1)?.to ?? from);
    all.push(...next);
    if (next.length === 0) return all.filter((seal) => seal.from >= from);
  }
}

const columns: readonly (readonly [string, (row: AuditRow) => string | null])[] = [
  ["time", ({ at }) => new Date(at).toISOString()],
  ["by", ({ by }) => by],
  ["what", ({ action }) => actionWords(action)],
  ["name", ({ name }) => name],
  ["detail", ({ detail }) => detail],
  ["address", ({ address }) => address],
  ["signed in with", ({ method }) => method],
  ["browser", ({ agent }) => agent],
  ["action", ({ action }) => action],
  ["subject", ({ subject }) => subject],
  ["member", ({ memberId }) => memberId],
  ["API key", ({ keyId }) => keyId],
  ["session", ({ sessionId }) => sessionId],
  ["entry", ({ id }) => id],
];

/** The rows for a spreadsheet. */
export function csv(rows: readonly AuditRow[]): string {
  return csvOf(
    columns.map(([title]) => title),
    rows.map((row) => columns.map(([, cell]) => cell(row))),
  );
}
