import { archivedBefore, archiveKinds, keptDays, mostKeptDays } from "../../app/archives/kinds.ts";
import { monthOf } from "../../app/usage/months.ts";
import { ArchivesView } from "../console/archives/ArchivesView.tsx";
import { RetentionCard, RetentionDialog } from "../console/archives/RetentionCard.tsx";
import type { ArchiveRow, RetentionRow } from "../console/data/rows.ts";
import { inShell } from "./in-shell.tsx";
import type { Story } from "./story.ts";

const nothing = (): void => undefined;

/** The page Archives: with archives, with one that has a problem, without any, and its dialog. */
export function archiveStories(now: number): readonly Story[] {
  const retention: readonly RetentionRow[] = archiveKinds.map((kind) => {
    const { days, least, why } = keptDays[kind];
    const before = archivedBefore(now, days);
    return { kind, days, standard: days, least, most: mostKeptDays, why, before, archivedTo: before };
  });
  const archives = ["audit", "ledger", "receipts", "orders"].map((kind, at) => ({
    archiveId: `archive-${kind}` as ArchiveRow["archiveId"],
    kind: kind as ArchiveRow["kind"],
    number: 3,
    month: monthOf(now, -15),
    rows: 440 * (at + 1),
    bytes: 132_000 * (at + 1),
    sha256: "3fa9c1d27b".repeat(7).slice(0, 64),
    at: now,
    isDone: at > 0,
    problem: at === 0 ? "The file of the archive is missing." : null,
  }));
  const view = { onDownload: nothing, onRun: nothing, onMore: null, loadingMore: false };
  const [, jobs] = retention;
  return [
    inShell(
      "console-archives",
      "archives",
      <div className="grid gap-4">
        <ArchivesView {...view} archives={archives} />
        <RetentionCard retention={retention} onEdit={nothing} />
      </div>,
    ),
    inShell(
      "console-archives-none",
      "archives",
      <div className="grid gap-4">
        <ArchivesView {...view} archives={[]} onRun={null} />
        <RetentionCard retention={retention} onEdit={null} />
      </div>,
    ),
    inShell(
      "console-archives-change",
      "archives",
      jobs === undefined ? null : (
        <RetentionDialog kept={jobs} onSave={async () => Promise.resolve(false)} onClose={nothing} />
      ),
    ),
  ];
}
