import type { ReactNode } from "react";
import { AskFirst } from "./AskFirst.tsx";

type Props = {
  readonly server: string;
  /** Resolves to null, or to the reason for a refusal. */
  readonly onAllow: () => Promise<string | null>;
  readonly onBack: () => void;
};

/** Asks before anything is sent to another computer without encryption. */
export function Unencrypted({ server, onAllow, onBack }: Props): ReactNode {
  return (
    <AskFirst
      title="This connection is not encrypted"
      action="Continue without encryption"
      onGoOn={onAllow}
      onBack={onBack}
    >
      <p>
        Anybody in the network between this computer and <strong className="wrap-anywhere">{server}</strong>{" "}
        could read and change what is sent, also the questions of your colleagues. Continue only in a network
        that you trust, or ask your administrator for an address with https://.
      </p>
    </AskFirst>
  );
}
