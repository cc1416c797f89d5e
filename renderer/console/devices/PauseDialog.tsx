import { type ReactNode, useState } from "react";
import { pauseChoices, pauseMinutes } from "../../../app/contract/pause-choices.ts";
import { Select } from "../../ui/controls/Select.tsx";
import { Switch } from "../../ui/controls/Switch.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";

type PauseWish = { readonly until: number | null; readonly finish: boolean };

type Props = {
  readonly title: string;
  readonly onPause: (wish: PauseWish) => void;
  readonly onClose: () => void;
};

const options = pauseChoices.map(({ label }) => ({ value: label, label }));
const hour = "For 1 hour";

/** Asks how long a pause lasts, and whether running jobs finish first. */
export function PauseDialog({ title, onPause, onClose }: Props): ReactNode {
  const [chosen, setChosen] = useState(hour);
  const [finish, setFinish] = useState(false);
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        action="Pause"
        onSubmit={() => {
          onPause({ until: pauseEnd(chosen, Date.now()), finish });
          onClose();
          return undefined;
        }}
        onClose={onClose}
      >
        <Select label="How long" value={chosen} options={options} onChange={setChosen} />
        <div className="flex items-center justify-between gap-3">
          <span className="min-w-0">
            <span className="font-medium">Finish running jobs first</span>
            <span className="block text-xs text-muted">Otherwise other devices get them at once.</span>
          </span>
          <Switch label="Finish running jobs first" checked={finish} onChange={setFinish} />
        </div>
      </DialogForm>
    </Dialog>
  );
}

/** The end of a pause from now on; null: until somebody resumes the device. */
export function pauseEnd(label: string, now: number): number | null {
  const choice = pauseChoices.find((known) => known.label === label);
  const minutes = choice === undefined ? null : pauseMinutes(choice.length, now);
  return minutes === null ? null : now + minutes * 60_000;
}
