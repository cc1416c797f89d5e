import { useConvex } from "convex/react";
import { useState } from "react";
import { jsonLines } from "../../../app/audit/jsonl.ts";
import { formatCount, plural } from "../../../app/format/quantity.ts";
import { api } from "../../../convex/_generated/api.js";
import { saveFile } from "../../ui/save-file.ts";
import { messageOf } from "../data/refusal.ts";
import { useSession } from "../data/session-context.ts";
import type { ListArgs } from "./audit-filter.ts";
import { collectRows, collectSeals, csv, type ExportSource, ExportTooLarge } from "./export-trail.ts";

export type TrailAct = "csv" | "jsonl" | "check";

/** How far an act is, or how it ended. */
export type ActReport = { readonly words: string; readonly tone: "busy" | "good" | "bad" };

type Convex = ReturnType<typeof useConvex>;
type Progress = (words: string) => void;

/** Exports the chosen rows, or checks the chain. */
export function useTrailActs(wanted: ListArgs): {
  readonly report: ActReport | null;
  readonly act: (what: TrailAct) => void;
} {
  const session = useSession();
  const convex = useConvex();
  const [report, setReport] = useState<ActReport | null>(null);
  const act = (what: TrailAct): void => {
    const progress: Progress = (words) => setReport({ words, tone: "busy" });
    progress(what === "check" ? "Checking the chain" : "Exporting");
    const done =
      what === "check"
        ? checkChain(convex, session, progress)
        : exportRows(convex, session, wanted, what, progress);
    done.then(setReport, (error: unknown) =>
      setReport({ words: error instanceof ExportTooLarge ? error.message : messageOf(error), tone: "bad" }),
    );
  };
  return { report, act };
}

async function exportRows(
  convex: Convex,
  session: string,
  wanted: ListArgs,
  format: "csv" | "jsonl",
  progress: Progress,
): Promise<ActReport> {
  const source: ExportSource = {
    page: (cursor) =>
      convex.query(api.console.audit.list, {
        session,
        ...wanted,
        paginationOpts: { cursor, numItems: 70 },
      }),
    seals: (after) =>
      convex.query(api.console.audit.seals, { session, after, to: wanted.to ?? Number.MAX_SAFE_INTEGER }),
  };
  const rows = await collectRows(source, (count) => progress(`Exporting: ${formatCount(count)} entries`));
  // Seals cover all rows of a time, so they are of no use beside some of them.
  const { from, to: _, ...others } = wanted;
  const isWhole = Object.keys(others).length === 0;
  const seals = format === "jsonl" && isWhole ? await collectSeals(source, from ?? 0) : [];
  const day = new Date().toISOString().slice(0, 10);
  saveFile(`gleaner-audit-${day}.${format}`, format === "csv" ? csv(rows) : jsonLines(rows, seals));
  return { words: `Exported ${plural(rows.length, ["# entry", "# entries"])}.`, tone: "good" };
}

async function checkChain(convex: Convex, session: string, progress: Progress): Promise<ActReport> {
  let after: number | null = 0;
  let seals = 0;
  let rows = 0;
  while (after !== null) {
    const piece: Awaited<ReturnType<typeof convex.query<typeof api.console.audit.check>>> =
      await convex.query(api.console.audit.check, { session, after });
    seals += piece.seals;
    rows += piece.rows;
    progress(`Checking the chain: ${plural(seals, ["# seal", "# seals"])}`);
    const { broken } = piece;
    if (broken !== null) {
      return { words: `The chain is broken at seal ${String(broken.number)}. ${broken.why}`, tone: "bad" };
    }
    after = piece.next;
  }
  const sealed = plural(rows, ["# entry", "# entries"]);
  const words =
    seals === 0
      ? "Nothing is sealed yet. Entries are sealed after about a minute."
      : `The trail is unchanged: ${plural(seals, ["# seal fits", "# seals fit"])} ${sealed}. Those of the last minute or two are not sealed yet.`;
  return { words, tone: "good" };
}
