import { type ReactNode, useState } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Dialog, DialogActions } from "../../ui/overlays/Dialog.tsx";
import { useCall } from "../state/actions.ts";
import { localMoment, pauseProblem } from "./pause-moment.ts";

type Props = { readonly open: boolean; readonly now: number; readonly onClose: () => void };

/** Pauses until a moment that the donor chooses. */
export function PauseDialog({ open, now, onClose }: Props): ReactNode {
  return (
    <Dialog open={open} title="Pause until" onClose={onClose}>
      <PauseForm now={now} onClose={onClose} />
    </Dialog>
  );
}

const twoHours = 2 * 3_600_000;

function PauseForm({ now, onClose }: Omit<Props, "open">): ReactNode {
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
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field
        label="Day and time"
        type="datetime-local"
        value={moment}
        min={localMoment(now)}
        error={error}
        onChange={(event) => {
          setMoment(event.target.value);
          setError(null);
        }}
      />
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary">
          Pause
        </Button>
      </DialogActions>
    </form>
  );
}
