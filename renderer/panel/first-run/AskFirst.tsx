import { type ReactNode, useState } from "react";
import { Button } from "../../ui/controls/Button.tsx";

type Props = {
  readonly title: string;
  /** The button that goes on. */
  readonly action: string;
  /** Resolves to null, or to the reason for a refusal. */
  readonly onGoOn: () => Promise<string | null>;
  readonly onBack: () => void;
  readonly children: ReactNode;
};

/** Asks the person before anything is sent to a server. Going back is the default. */
export function AskFirst({ title, action, onGoOn, onBack, children }: Props): ReactNode {
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const goOn = async (): Promise<void> => {
    setBusy(true);
    setError(await onGoOn());
    setBusy(false);
  };
  return (
    <>
      <h1 className="text-lg font-semibold">{title}</h1>
      {children}
      {error === null ? null : (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button autoFocus look="primary" onClick={onBack}>
          Back
        </Button>
        <Button disabled={busy} onClick={() => void goOn()}>
          {busy ? "Looking it up…" : action}
        </Button>
      </div>
    </>
  );
}
