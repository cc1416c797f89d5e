import type { ReactNode } from "react";
import { Button } from "../controls/Button.tsx";
import { Dialog, DialogActions } from "./Dialog.tsx";

type Props = {
  readonly title: string;
  /** Says what will happen, and whether it can be undone. */
  readonly children: ReactNode;
  readonly action: string;
  /** The label of the button that changes nothing. */
  readonly cancel?: string;
  readonly danger?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Asks before an action. The button that changes nothing comes first and has the focus. */
export function Confirm(props: Props): ReactNode {
  const { title, children, action, cancel = "Cancel", danger = false, onConfirm, onClose } = props;
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="text-muted wrap-anywhere">{children}</div>
      <DialogActions>
        <Button onClick={onClose}>{cancel}</Button>
        <Button
          look={danger ? "danger" : "primary"}
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
