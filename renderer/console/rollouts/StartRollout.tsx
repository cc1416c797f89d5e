import { type ReactNode, useState } from "react";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { emptyRollout, parseRollout, type WantedRollout } from "./rollout-form.ts";
import { RolloutFields } from "./RolloutFields.tsx";

type Props = {
  readonly modelId: string;
  readonly sizeBytes: number;
  readonly devices: number | null;
  /** Resolves to whether the server accepted it. */
  readonly onStart: (wanted: WantedRollout) => Promise<boolean>;
  readonly onClose: () => void;
};

/** Starts the roll-out of a model that is in the catalog already. */
export function StartRollout({ modelId, sizeBytes, devices, onStart, onClose }: Props): ReactNode {
  const [form, setForm] = useState({ ...emptyRollout, inStages: true });
  const parsed = parseRollout(form);
  const start = async (wanted: WantedRollout): Promise<void> => {
    if (await onStart(wanted)) onClose();
  };
  return (
    <Dialog title={`Roll out ${modelId} in stages`} onClose={onClose}>
      <DialogForm
        action="Start"
        onSubmit={() => (parsed.kind === "ok" && parsed.rollout !== null ? start(parsed.rollout) : undefined)}
        onClose={onClose}
      >
        <p className="text-muted">
          Devices that have begun to download the model keep it. The others wait for their stage.
        </p>
        <RolloutFields form={form} onChange={setForm} devices={devices} sizeBytes={sizeBytes} />
      </DialogForm>
    </Dialog>
  );
}
