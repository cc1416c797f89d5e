import type { ReactNode } from "react";
import { Button } from "./controls/Button.tsx";

type Props = {
  /** Null while more rows load and once all are loaded. */
  readonly onMore: (() => void) | null;
  readonly loading: boolean;
};

/** The button below a table with further rows. */
export function LoadMore({ onMore, loading }: Props): ReactNode {
  if (onMore === null && !loading) return null;
  return (
    <div className="border-t border-line p-2 text-center">
      <Button look="quiet" disabled={onMore === null} onClick={() => onMore?.()}>
        {loading ? "Loading…" : "Load more"}
      </Button>
    </div>
  );
}
