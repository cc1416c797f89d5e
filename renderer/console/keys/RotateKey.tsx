import { type ReactNode, useState } from "react";
import { overlap } from "../../../app/keys/expiry.ts";
import { Select } from "../../ui/controls/Select.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import type { KeyRow } from "../data/rows.ts";
import { KeyMade } from "./KeyMade.tsx";
import type { ApiServer } from "./snippets.ts";

type Props = {
  readonly rotated: KeyRow;
  readonly server: ApiServer;
  readonly model: string;
  /** Gives the key a new secret. Resolves to null if the server refused. */
  readonly onRotate: (overlapMs: number) => Promise<string | null>;
  readonly onClose: () => void;
};

const hourMs = 3_600_000;

const options = [
  { value: "0", label: "Not at all" },
  { value: String(hourMs), label: "For an hour" },
  { value: String(overlap.usual), label: "For 24 hours" },
  { value: String(7 * 24 * hourMs), label: "For 7 days" },
  { value: String(overlap.most), label: "For 30 days" },
];

/** Gives an API key a new secret, and shows it once. */
export function RotateKey({ rotated, server, model, onRotate, onClose }: Props): ReactNode {
  const [overlapMs, setOverlapMs] = useState(String(overlap.usual));
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null) {
    return (
      <Dialog title={`New secret of ${rotated.name}`} onClose={onClose}>
        <KeyMade secret={secret} server={server} model={model} onDone={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={`New secret for ${rotated.name}`} onClose={onClose}>
      <DialogForm
        action="Make a new secret"
        onSubmit={async () => setSecret(await onRotate(Number(overlapMs)))}
        onClose={onClose}
      >
        <p className="text-muted">
          The key keeps its credits, limits, jobs and files. Give its programs the new secret while the
          present one still works.
        </p>
        <Select
          label="The present secret goes on working"
          hint="You can end it at any time before."
          value={overlapMs}
          options={options}
          onChange={setOverlapMs}
        />
      </DialogForm>
    </Dialog>
  );
}
