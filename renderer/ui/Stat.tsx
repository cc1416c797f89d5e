import type { ReactNode } from "react";

type Props = { readonly label: string; readonly value: ReactNode };

/** A labeled figure. The line keeps its height while the value loads or changes. */
export function Stat({ label, value }: Props): ReactNode {
  return (
    <div className="min-w-0">
      <dt className="truncate text-xs text-muted">{label}</dt>
      <dd className="h-7 truncate text-lg leading-7 font-semibold">{value}</dd>
    </div>
  );
}
