import { type ReactNode, useState } from "react";
import { plural } from "../../../app/format/quantity.ts";
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
};

/** Shows and sets the oldest version of Gleaner whose devices get jobs. */
export function OldestVersion({ oldest, outdated, onSet }: Props): ReactNode {
  const [asked, setAsked] = useState<string | null>(null);
  const close = (): void => setAsked(null);
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
      <Button size="sm" look="quiet" onClick={() => setAsked(oldest)}>
        Change version
      </Button>
      {asked === null ? null : (
        <Dialog title="Oldest version of Gleaner" onClose={close}>
          <DialogForm
            action="Save"
            onSubmit={() => {
              onSet(asked.trim());
              close();
            }}
            onClose={close}
          >
            <Field
              label="Version"
              hint="Devices with an older version get no jobs until they are updated."
              value={asked}
              onChange={(event) => setAsked(event.target.value)}
            />
          </DialogForm>
        </Dialog>
      )}
    </div>
  );
}
