import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { useAct, useSession } from "../data/session-context.ts";

/** Shows and sets the oldest version of Gleaner whose devices get jobs. */
export function OldestVersion(): ReactNode {
  const session = useSession();
  const current = useQuery(api.adminDevices.oldestVersion, { session });
  const [asked, setAsked] = useState<string | null>(null);
  const set = useAct(api.adminDevices.setOldestVersion);
  if (current === undefined) return null;
  const close = (): void => setAsked(null);
  return (
    <div className="flex items-center gap-2 border-t border-line px-4 py-2.5 text-xs text-muted">
      Devices need Gleaner {current} or newer.
      <Button size="sm" look="quiet" onClick={() => setAsked(current)}>
        Change
      </Button>
      {asked === null ? null : (
        <Dialog title="Oldest version of Gleaner" onClose={close}>
          <DialogForm
            action="Save"
            onSubmit={() => {
              void set({ version: asked }, `Devices need Gleaner ${asked.trim()} or newer.`);
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
