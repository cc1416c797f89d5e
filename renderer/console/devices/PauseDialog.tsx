import { type ReactNode, useState } from "react";
import { pauseChoices, type PauseLength, pauseMinutes } from "../../../app/contract/pause-choices.ts";
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

const options = pauseChoices.map(({ label }, place) => ({ value: String(place), label }));
const untilResumed: { readonly length: PauseLength } = { length: { kind: "until-resumed" } };
const hour = pauseChoices.findIndex(({ length }) => length.kind === "minutes" && length.minutes === 60);

/** Asks how long a pause lasts, and whether running jobs finish first. */
export function PauseDialog({ title, onPause, onClose }: Props): ReactNode {
  const [chosen, setChosen] = useState(String(hour));
  const [finish, setFinish] = useState(false);
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        action="Pause"
        onSubmit={() => {
          const { length } = pauseChoices[Number(chosen)] ?? untilResumed;
          onPause({ until: pauseEnd(length, Date.now()), finish });
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
export function pauseEnd(length: PauseLength, now: number): number | null {
  const minutes = pauseMinutes(length, now);
  return minutes === null ? null : now + minutes * 60_000;
}
