import { type ReactNode, useState } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { isVersion } from "../../../app/versions.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";

type Props = {
  /** The oldest version whose devices get jobs. */
  readonly oldest: string;
  /** The number of devices that need an update. */
  readonly outdated: number;
  readonly onSet: (version: string) => void;
  /** The version in the dialog. Null if the dialog is closed. */
  readonly initialAsked?: string;
};

/** Shows and sets the oldest version of Gleaner whose devices get jobs. */
export function OldestVersion({ oldest, outdated, onSet, initialAsked }: Props): ReactNode {
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
            {plural(outdated, "device")} {outdated === 1 ? "needs" : "need"} an update.
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
          </DialogForm>
        </Dialog>
      )}
    </div>
  );
}
