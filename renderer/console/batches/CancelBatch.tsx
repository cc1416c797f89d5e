import type { ReactNode } from "react";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import type { BatchSummary } from "../data/rows.ts";
import { cancelWords } from "./batch-words.ts";

type Props = {
  readonly batch: BatchSummary;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Says what a cancel of the batch changes as it is now, and asks. */
export function CancelBatch({ batch, onConfirm, onClose }: Props): ReactNode {
  return (
    <Confirm
      title="Cancel this batch?"
      action="Cancel batch"
      cancel="Keep batch"
      danger
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {cancelWords(batch).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      <p className="mt-2 font-medium text-ink">This cannot be undone.</p>
    </Confirm>
  );
}
