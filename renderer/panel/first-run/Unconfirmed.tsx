import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { AskFirst } from "./AskFirst.tsx";

type Props = {
  readonly server: string;
  /** The pin that the network names. */
  readonly pin: string;
  /** Resolves to null, or to the reason for a refusal. */
  readonly onConfirm: () => Promise<string | null>;
  readonly onBack: () => void;
};

/** Asks the person to compare a server's key before anything is sent to a server that only the network names. */
export function Unconfirmed({ server, pin, onConfirm, onBack }: Props): ReactNode {
  return (
    <AskFirst
      title="Is this your organization’s server?"
      action="The key is the same"
      onGoOn={onConfirm}
      onBack={onBack}
    >
      <p>
        <strong className="wrap-anywhere">{server}</strong> was found on this network, where anybody can offer
        a server. Compare its key with the one that your administrator gives you. Nothing was sent to it yet.
      </p>
      <Card>
        <code className="wrap-anywhere">{pin}</code>
        <p className="text-xs text-muted">
          Administrators find it in the console, in the command beside a new enrollment code. An invitation
          link needs no comparison.
        </p>
      </Card>
    </AskFirst>
  );
}
