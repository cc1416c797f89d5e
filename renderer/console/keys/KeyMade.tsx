import { type ReactNode, useState } from "react";
import { Button } from "../../ui/controls/Button.tsx";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { Tabs } from "../../ui/controls/Tabs.tsx";
import { DialogActions } from "../../ui/overlays/Dialog.tsx";
import { snippets } from "./snippets.ts";

type Props = {
  readonly secret: string;
  readonly apiBase: string;
  readonly model: string;
  readonly onDone: () => void;
};

/** Shows a new key once, with calls that work. */
export function KeyMade({ secret, apiBase, model, onDone }: Props): ReactNode {
  const all = snippets(apiBase, secret, model);
  const [shown, setShown] = useState("curl");
  return (
    <div className="grid grid-cols-1 gap-3">
      <p className="text-muted">Copy it now. It is shown only once.</p>
      <Copyable text={secret} label="the key" />
      <Tabs
        label="Try it"
        value={shown}
        onChange={setShown}
        tabs={all.map(({ label, text }) => ({
          value: label,
          label,
          content: <Copyable block text={text} label={`the ${label} example`} />,
        }))}
      />
      <DialogActions>
        <Button look="primary" onClick={onDone}>
          I have copied it
        </Button>
      </DialogActions>
    </div>
  );
}
