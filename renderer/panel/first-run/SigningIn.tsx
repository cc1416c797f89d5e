import { type ReactNode, useEffect, useState } from "react";
import type { WaitingSignIn } from "../../../app/contract/invitation.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Copyable } from "../../ui/controls/Copyable.tsx";

type Props = {
  readonly signIn: WaitingSignIn;
  /** Resolves when the sign-in has ended: to null if the organization was found, or to the reason for a refusal. */
  readonly onWait: () => Promise<string | null>;
  /** Resolves to whether the system took its address. */
  readonly onOpen: () => Promise<boolean>;
  readonly onBack: () => void;
};

/** Waits until a member has signed in and confirmed this computer on a page of the console. */
export function SigningIn({ signIn, onWait, onOpen, onBack }: Props): ReactNode {
  const [ended, setEnded] = useState<string | null>(null);
  const [isOpen, setIsOpen] = useState(signIn.isOpen);
  useEffect(() => {
    let gone = false;
    void onWait().then((refusal) => {
      if (!gone) setEnded(refusal);
    });
    return () => {
      gone = true;
    };
  }, [onWait]);
  if (ended !== null) {
    return (
      <>
        <h1 className="text-lg font-semibold">This computer was not confirmed</h1>
        <p role="alert" className="text-bad">
          {ended}
        </p>
        <div>
          <Button autoFocus look="primary" onClick={onBack}>
            Start again
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      <h1 className="text-lg font-semibold">Confirm this computer in your browser</h1>
      <p>
        {isOpen
          ? "Your browser opens a page of your organization. Sign in there, and confirm this computer if the page shows this number:"
          : "Gleaner could not open your browser. Open the address below in it, sign in, and confirm this computer if the page shows this number:"}
      </p>
      <p className="rounded-lg border border-line bg-surface py-4 text-center text-3xl font-semibold tracking-widest tabular-nums">
        {signIn.number}
      </p>
      <p role="status" className="text-muted">
        Waiting for your confirmation…
      </p>
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => void onOpen().then(setIsOpen)}>Open the page again</Button>
        <Button look="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
      <div className="grid grid-cols-1 gap-2">
        <p className="text-xs text-muted">
          If no page opens, copy its address into a browser, on this computer or another one:
        </p>
        <Copyable wrap text={signIn.address} label="the address" />
      </div>
    </>
  );
}
