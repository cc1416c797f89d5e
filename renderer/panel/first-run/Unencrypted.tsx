import { type ReactNode, useState } from "react";
import { Button } from "../../ui/controls/Button.tsx";

type Props = {
  readonly server: string;
  /** Resolves to null, or to the reason for a refusal. */
  readonly onAllow: () => Promise<string | null>;
  readonly onBack: () => void;
};

/** Asks before anything is sent to another computer without encryption. */
export function Unencrypted({ server, onAllow, onBack }: Props): ReactNode {
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const allow = async (): Promise<void> => {
    setBusy(true);
    setError(await onAllow());
    setBusy(false);
  };
  return (
    <>
      <h1 className="text-lg font-semibold">This connection is not encrypted</h1>
      <p>
        Anybody in the network between this computer and <strong className="wrap-anywhere">{server}</strong>{" "}
        could read and change what is sent, also the questions of your colleagues. Continue only in a network
        that you trust, or ask your administrator for an address with https://.
      </p>
      {error === null ? null : (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button autoFocus look="primary" onClick={onBack}>
          Back
        </Button>
        <Button disabled={busy} onClick={() => void allow()}>
          {busy ? "Looking it up…" : "Continue without encryption"}
        </Button>
      </div>
    </>
  );
}
