import { type ReactNode, useState } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { isOlder } from "../../../app/versions.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { VersionDialog } from "./VersionDialog.tsx";

type Props = {
  /** The oldest version whose devices get jobs. */
  readonly oldest: string;
  /** The number of devices that need an update. */
  readonly outdated: number;
  /** Devices by their version. Null while they are counted. */
  readonly versions: readonly { readonly name: string; readonly devices: number }[] | null;
  /** Null for those who may not set it. */
  readonly onSet: ((version: string) => void) | null;
  /** The version in the dialog. Null if the dialog is closed. */
  readonly initialAsked?: string;
};

/** Shows and sets the oldest version of Gleaner whose devices get jobs. */
export function OldestVersion({ oldest, outdated, versions, onSet, initialAsked }: Props): ReactNode {
  const [initial, setInitial] = useState<string | null>(initialAsked ?? null);
  return (
    <div className="flex items-center justify-between gap-3 border-t border-line px-4 py-1.5 text-xs text-muted">
      <p>
        Devices need Gleaner {oldest} or newer to get jobs.
        {outdated === 0 ? null : (
          <span className="text-ink">
            {" "}
            {plural(outdated, ["# device needs an update.", "# devices need an update."])}
          </span>
        )}
      </p>
      {onSet === null ? null : (
        <Button size="sm" look="quiet" className="-mr-2.5" onClick={() => setInitial(oldest)}>
          Change version
        </Button>
      )}
      {initial === null || onSet === null ? null : (
        <VersionDialog
          title="Oldest version of Gleaner"
          hint="Devices with an older version get no jobs until they are updated."
          action="Save"
          initial={initial}
          preview={(version) =>
            versions === null ? null : (
              <p aria-live="polite" className="mt-2 text-xs">
                {sayOlder(versions, version)}
              </p>
            )
          }
          onVersion={onSet}
          onClose={() => setInitial(null)}
        />
      )}
    </div>
  );
}

function sayOlder(versions: NonNullable<Props["versions"]>, than: string): string {
  const older = versions.filter(({ name }) => isOlder(name, than));
  const devices = older.reduce((sum, each) => sum + each.devices, 0);
  if (devices === 0) return "Every device has this version or a newer one.";
  return plural(devices, [
    "# device has an older version and will get no jobs. You can undo this.",
    "# devices have an older version and will get no jobs. You can undo this.",
  ]);
}
