import type { ReactNode } from "react";
import { formatCount, formatTenths } from "../../../app/format/quantity.ts";
import { linePoints } from "./token-rates.ts";

const width = 240;
const height = 28;

/** How fast the last minute was: a line, and the current number beside it. Nothing in it is animated. */
export function TokenRates({ rates }: { readonly rates: readonly number[] }): ReactNode {
  const words = rateWords(rates.at(-1));
  return (
    <div className="flex h-8 min-w-0 items-center gap-3">
      <svg
        role="img"
        aria-label={`Tokens per second in the last minute, now ${words}`}
        viewBox={`0 -2 ${String(width)} ${String(height + 4)}`}
        preserveAspectRatio="none"
        className="h-8 w-0 flex-1 border-b border-line"
      >
        <polyline
          points={linePoints(rates, width, height)}
          fill="none"
          strokeWidth={1.5}
          strokeLinejoin="round"
          vectorEffect="non-scaling-stroke"
          className="stroke-accent"
        />
      </svg>
      <span aria-hidden className="w-24 shrink-0 text-right text-xs text-muted">
        {words} tokens/s
      </span>
    </div>
  );
}

/** A dash before the first second has passed. */
function rateWords(rate: number | undefined): string {
  if (rate === undefined) return "–";
  return rate === 0 || rate >= 10 ? formatCount(Math.round(rate)) : formatTenths(rate);
}
