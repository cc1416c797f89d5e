import type { ReactNode } from "react";
import { cx } from "../../ui/cx.ts";
import { toneText } from "../../ui/tone.ts";
import type { QueueStats, Summary } from "../data/rows.ts";
import { type Tile, tilesOf } from "./tiles.ts";

type TilesProps = { readonly summary: Summary | undefined; readonly queue: QueueStats | undefined };

export function Tiles({ summary, queue }: TilesProps): ReactNode {
  const busy = summary === undefined || queue === undefined;
  return <Figures busy={busy} figures={tilesOf(summary, queue)} />;
}

/** A long figure such as "16 Std., 35 Min." has smaller letters, so that nothing of it is cut off. */
const sizeOf = (value: string): string => (value.length > 11 ? "text-base tracking-tight" : "text-xl");

type Props = { readonly busy: boolean; readonly figures: readonly Tile[] };

/** A row of key figures, each with a line that explains it. */
export function Figures({ busy, figures }: Props): ReactNode {
  const columns = figures.length > 4 ? "sm:grid-cols-3 xl:grid-cols-6" : "sm:grid-cols-4";
  return (
    <dl aria-busy={busy} className={cx("grid grid-cols-2 gap-3", columns)}>
      {figures.map((tile) => (
        <div key={tile.label} className="min-w-0 rounded-lg border border-line bg-surface px-4 py-3">
          <dt className="truncate text-xs text-muted">{tile.label}</dt>
          <dd className={cx("h-8 truncate leading-8 font-semibold", sizeOf(tile.value))}>{tile.value}</dd>
          <dd className={cx("min-h-4.5 text-xs", tile.tone === null ? "text-muted" : toneText[tile.tone])}>
            {tile.note}
          </dd>
        </div>
      ))}
    </dl>
  );
}
