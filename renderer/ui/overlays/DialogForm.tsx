import { type ReactNode, useState } from "react";
import { Button } from "../controls/Button.tsx";
import { Form } from "../controls/Form.tsx";
import { DialogActions } from "./Dialog.tsx";

type Props = {
  /** The label of the button that submits. */
  readonly action: string;
  readonly disabled?: boolean;
  readonly onSubmit: () => Promise<void> | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A dialog's form. It cannot be submitted again until the last submission ends. */
export function DialogForm({ action, disabled = false, onSubmit, onClose, children }: Props): ReactNode {
  const [busy, setBusy] = useState(false);
  const submit = (): void => {
    const ended = onSubmit();
    if (ended === undefined) return;
    setBusy(true);
    void ended.finally(() => setBusy(false));
  };
  return (
    <Form onSubmit={submit}>
      {children}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" disabled={disabled || busy}>
          {action}
        </Button>
      </DialogActions>
    </Form>
  );
}
