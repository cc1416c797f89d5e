import type { ReactNode } from "react";
import { formatBytes } from "../../../app/format/quantity.ts";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import type { ModelRow } from "./model-rows.ts";

type Props = {
  readonly row: ModelRow;
  readonly organization: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Asks before a model is removed, and says what follows. */
export function RemoveModel({ row, organization, onConfirm, onClose }: Props): ReactNode {
  const { modelId, diskBytes, isOffered } = row;
  return (
    <Confirm title={`Remove ${modelId}?`} action="Remove" danger onConfirm={onConfirm} onClose={onClose}>
      <div className="grid gap-2">
        <p>
          {diskBytes === 0
            ? "Nothing of it is on this computer yet. It will not be downloaded."
            : `${formatBytes(diskBytes)} are deleted from this computer.`}
        </p>
        <p>
          {isOffered
            ? `This computer gets no more jobs for this model from ${organization}; other computers do them. It comes back only if you fetch it again.`
            : `${organization} no longer offers this model, so it does not come back.`}
        </p>
      </div>
    </Confirm>
  );
}
