import type { ReactNode } from "react";
import { formatFull } from "../../../app/format/time.ts";
import { Card } from "../Card.tsx";
import { Chart, type Line } from "./Chart.tsx";

type Props = {
  readonly title: string;
  /** ms since the epoch, ascending. Undefined while they load. */
  readonly times: readonly number[] | undefined;
  readonly lines: readonly Line[] | undefined;
  readonly format: (value: number) => string;
  /** How the numbers were found. */
  readonly note?: string;
  /** How the table and the legend name a time. */
  readonly formatTime?: (at: number) => string;
};

/** A chart, and the same numbers as a table behind it. */
export function ChartCard({ title, times, lines, format, note, formatTime = formatFull }: Props): ReactNode {
  if (times === undefined || lines === undefined) {
    return (
      <Card title={title}>
        <div role="status" aria-label="Loading" className="min-h-66 pt-2">
          <div className="grid h-46 animate-breathe content-between">
            {[0, 1, 2, 3].map((line) => (
              <span key={line} className="h-px bg-line" />
            ))}
          </div>
        </div>
      </Card>
    );
  }
  return (
    <Card title={title}>
      <Chart label={title} times={times} lines={lines} format={format} formatTime={formatTime} />
      {note === undefined ? null : <p className="mb-1 text-xs text-muted">{note}</p>}
      <details>
        <summary className="cursor-pointer text-xs text-muted">As a table</summary>
        <div
          className="mt-2 max-h-60 overflow-auto"
          tabIndex={0}
          role="group"
          aria-label={`${title}, as a table`}
        >
          <table className="w-full text-left text-xs">
            <thead>
              <tr className="text-muted">
                <th scope="col" className="py-1 font-medium">
                  Time
                </th>
                {lines.map(({ label }) => (
                  <th key={label} scope="col" className="py-1 text-right font-medium">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((at, point) => (
                <tr key={at} className="border-t border-line">
                  <th scope="row" className="py-1 font-normal whitespace-nowrap">
                    {formatTime(at)}
                  </th>
                  {lines.map(({ label, values }) => {
                    const value = values[point] ?? null;
                    return (
                      <td key={label} className="py-1 text-right">
                        {value === null ? "–" : format(value)}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </Card>
  );
}
