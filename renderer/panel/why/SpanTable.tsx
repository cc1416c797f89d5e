import type { ReactNode } from "react";
import { formatDuration } from "../../../app/format/time.ts";
import { dayTitle, shortWords, spanSentence, spanTime } from "./span-text.ts";
import type { Day } from "./week.ts";

/** The same week as text. */
export function SpanTable({ week }: { readonly week: readonly Day[] }): ReactNode {
  return (
    <details className="mt-3">
      <summary className="cursor-pointer text-xs text-muted">As a table</summary>
      <div
        className="mt-2 max-h-60 overflow-auto"
        tabIndex={0}
        role="group"
        aria-label="The last seven days, as a table"
      >
        <table className="w-full text-left text-xs">
          <thead>
            <tr className="text-muted">
              <th scope="col" className="py-1 pr-3 font-medium">
                Time
              </th>
              <th scope="col" className="py-1 pr-3 font-medium">
                Reason
              </th>
              <th scope="col" className="py-1 text-right font-medium">
                Length
              </th>
            </tr>
          </thead>
          {week.map((day) => (
            <tbody key={day.from}>
              <tr className="border-t border-line">
                <th scope="rowgroup" colSpan={3} className="py-1 font-semibold">
                  {dayTitle(day)}
                </th>
              </tr>
              {day.spans.map((span) => (
                <tr key={span.from} className="border-t border-line align-top">
                  <th scope="row" className="py-1 pr-3 font-normal whitespace-nowrap">
                    {spanTime(span, day)}
                  </th>
                  <td className="py-1 pr-3">
                    {span.parts.length > 1 ? spanSentence(span) : shortWords(span)}
                  </td>
                  <td className="py-1 text-right whitespace-nowrap">{formatDuration(span.to - span.from)}</td>
                </tr>
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </details>
  );
}
