import type { ReactNode } from "react";
import { formatShare } from "../../app/format/quantity.ts";

type Props = {
  readonly label: string;
  /** From 0 to 1. */
  readonly share: number;
};

export function ProgressBar({ label, share }: Props): ReactNode {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={formatShare(share)}
      className="h-1.5 overflow-hidden rounded-full bg-line"
    >
      <div className="h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
    </div>
  );
}
