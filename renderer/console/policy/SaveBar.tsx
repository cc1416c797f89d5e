import type { ReactNode } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { Button } from "../../ui/controls/Button.tsx";

type Props = {
  readonly changes: readonly string[];
  readonly problems: number;
  /** The reason why the last save failed. */
  readonly error: string | null;
  /** Whether somebody else saved a newer version in the meantime. */
  readonly isOutdated: boolean;
  readonly busy: boolean;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
};

/** Shows unsaved changes at the bottom of the window. */
export function SaveBar(props: Props): ReactNode {
  const { changes, problems, error, isOutdated, busy, onSave, onDiscard } = props;
  if (changes.length === 0 && error === null) return null;
  return (
    <div
      role="region"
      aria-label="Unsaved changes"
      className="sticky bottom-3 z-10 flex min-w-0 flex-wrap items-center justify-between gap-3 rounded-lg border border-edge bg-raised px-4 py-2.5 shadow-pop"
    >
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-medium">{plural(changes.length, ["# unsaved change", "# unsaved changes"])}</p>
        <p className="truncate text-xs text-muted">{changes.join(" · ")}</p>
        {isOutdated ? (
          <p role="alert" className="text-xs text-hold">
            Somebody else saved a newer version. Discard your changes to see it.
          </p>
        ) : null}
        {error === null ? null : (
          <p role="alert" className="text-xs text-bad">
            {error}
          </p>
        )}
      </div>
      <div className="flex gap-2">
        <Button onClick={onDiscard}>Discard</Button>
        <Button look="primary" disabled={busy || problems > 0 || isOutdated} onClick={onSave}>
          Save
        </Button>
      </div>
    </div>
  );
}
