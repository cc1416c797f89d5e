import type { ReactNode } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { DialogActions } from "../../ui/overlays/Dialog.tsx";

const names = {
  code: /* @wc-include */ "code",
  key: /* @wc-include */ "key",
  link: /* @wc-include */ "link",
  secret: /* @wc-include */ "secret",
  token: /* @wc-include */ "token",
};

type Props = {
  readonly secret: string;
  readonly name: keyof typeof names;
  readonly onDone: () => void;
  readonly children: ReactNode;
};

/** A new secret, ready to copy. The server stores only its hash. */
export function ShownOnce({ secret, name, onDone, children }: Props): ReactNode {
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="text-muted">Copy the {names[name]} now. It is shown only once.</p>
      <Copyable autoFocus text={secret} label={`the ${names[name]}`} />
      <div className="text-muted">{children}</div>
      <DialogActions>
        <Button look="primary" onClick={onDone}>
          Done
        </Button>
      </DialogActions>
    </div>
  );
}
