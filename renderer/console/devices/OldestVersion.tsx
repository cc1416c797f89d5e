import { type ReactNode, useState } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { isOlder, isVersion } from "../../../app/versions.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";

type Props = {
  /** The oldest version whose devices get jobs. */
  readonly oldest: string;
  /** The number of devices that need an update. */
  readonly outdated: number;
  /** Devices by their version. Null while they are counted. */
  readonly versions: readonly { readonly name: string; readonly devices: number }[] | null;
  readonly onSet: (version: string) => void;
  /** The version in the dialog. Null if the dialog is closed. */
  readonly initialAsked?: string;
};

/** Shows and sets the oldest version of Gleaner whose devices get jobs. */
export function OldestVersion({ oldest, outdated, versions, onSet, initialAsked }: Props): ReactNode {
  const [asked, setAsked] = useState<string | null>(initialAsked ?? null);
  const [error, setError] = useState<string | null>(null);
  const close = (): void => {
    setAsked(null);
    setError(null);
  };
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
      <Button size="sm" look="quiet" className="-mr-2.5" onClick={() => setAsked(oldest)}>
        Change version
      </Button>
      {asked === null ? null : (
        <Dialog title="Oldest version of Gleaner" onClose={close}>
          <DialogForm
            action="Save"
            onSubmit={() => {
              const version = asked.trim();
              if (!isVersion(version)) {
                setError('Enter three numbers, such as "0.2.0".');
                return undefined;
              }
              onSet(version);
              close();
              return undefined;
            }}
            onClose={close}
          >
            <Field
              label="Version"
              hint="Devices with an older version get no jobs until they are updated."
              value={asked}
              error={error}
              onChange={(event) => {
                setAsked(event.target.value);
                setError(null);
              }}
            />
            {versions !== null && isVersion(asked.trim()) ? (
              <p aria-live="polite" className="mt-2 text-xs">
                {sayOlder(versions, asked.trim())}
              </p>
            ) : null}
          </DialogForm>
        </Dialog>
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
