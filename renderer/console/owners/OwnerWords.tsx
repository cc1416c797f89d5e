import type { ReactNode } from "react";
import type { OwnerName } from "../data/rows.ts";

/** The owner of a key or a device, by name. */
export function OwnerWords({ owner }: { readonly owner: OwnerName }): ReactNode {
  if (owner === null) return <span className="text-muted">Organization</span>;
  return (
    <span className="line-clamp-2 max-w-32 min-w-20 wrap-anywhere" title={owner.name}>
      {owner.name}
      {owner.kind === "team" ? <span className="text-xs text-muted"> (team)</span> : null}
    </span>
  );
}
