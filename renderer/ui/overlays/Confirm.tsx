import type { ReactNode } from "react";
import { Button } from "../controls/Button.tsx";
import { Dialog, DialogActions } from "./Dialog.tsx";

type Props = {
  readonly open: boolean;
  readonly title: string;
  /** Says what will happen, and whether it can be undone. */
  readonly children: ReactNode;
  readonly action: string;
  readonly danger?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

export function Confirm({
  open,
  title,
  children,
  action,
  danger = false,
  onConfirm,
  onClose,
}: Props): ReactNode {
  return (
    <Dialog open={open} title={title} onClose={onClose}>
      <div className="text-muted">{children}</div>
      <DialogActions>
        <Button onClick={onClose}>Keep as it is</Button>
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
