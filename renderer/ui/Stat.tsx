import type { ReactNode } from "react";

type Props = { readonly label: string; readonly value: ReactNode; readonly note?: ReactNode };

/** One figure with its name. The line keeps its height while the value loads or changes. */
export function Stat({ label, value, note }: Props): ReactNode {
  return (
    <div className="min-w-0">
      <dt className="truncate text-xs text-muted">{label}</dt>
      <dd className="h-7 truncate text-lg leading-7 font-semibold">{value}</dd>
      {note === undefined ? null : <dd className="truncate text-xs text-muted">{note}</dd>}
    </div>
  );
}
