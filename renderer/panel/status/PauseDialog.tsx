import { type ReactNode, useState } from "react";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { useCall } from "../state/actions.ts";
import { localMoment, pauseProblem } from "./pause-moment.ts";

type Props = { readonly now: number; readonly onClose: () => void };

const twoHours = 2 * 3_600_000;

/** Pauses until a moment that the donor chooses. */
export function PauseDialog({ now, onClose }: Props): ReactNode {
  const call = useCall();
  const [moment, setMoment] = useState(() => localMoment(now + twoHours));
  const [error, setError] = useState<string | null>(null);
  const submit = async (): Promise<void> => {
    const until = new Date(moment).getTime();
    const refusal = pauseProblem(until, now) ?? (await call("pause", { until }));
    if (refusal === null) onClose();
    else setError(refusal);
  };
  return (
    <Dialog title="Pause until" onClose={onClose}>
      <DialogForm action="Pause" onSubmit={submit} onClose={onClose}>
        <Field
          label="Date and time"
          type="datetime-local"
          value={moment}
          min={localMoment(now)}
          error={error}
          onChange={(event) => {
            setMoment(event.target.value);
            setError(null);
          }}
        />
      </DialogForm>
    </Dialog>
  );
}
