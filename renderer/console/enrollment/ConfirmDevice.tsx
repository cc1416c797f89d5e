import { type ReactNode, useState } from "react";
import { confirmationNumber, type DeviceRequest } from "../../../app/enrollment.ts";
import { api } from "../../../convex/_generated/api.js";
import { Button } from "../../ui/controls/Button.tsx";
import { useAct, useMe, useScope } from "../data/session-context.ts";
import { FullPage } from "../shell/FullPage.tsx";
import { hrefOf } from "../shell/route.ts";

type Props = {
  readonly request: DeviceRequest;
  readonly organization: string;
  readonly onSignOut: () => void;
};

/** The page on which a member confirms a computer that waits in its own window. */
export function ConfirmDevice({ request, organization, onSignOut }: Props): ReactNode {
  const confirm = useAct(api.console.codes.confirmDevice);
  const mayConfirm = useScope("devices.enroll") !== null;
  return (
    <ConfirmDeviceView
      request={request}
      organization={organization}
      member={useMe().name}
      onConfirm={mayConfirm ? () => confirm(request) : null}
      onSignOut={onSignOut}
    />
  );
}

type ViewProps = Props & {
  /** The member's name. */
  readonly member: string;
  /** Resolves to whether the server agreed. Null for those who may not add computers. */
  readonly onConfirm: (() => Promise<boolean>) | null;
  readonly initialOutcome?: "confirmed" | "canceled";
};

export function ConfirmDeviceView(props: ViewProps): ReactNode {
  const { request, organization, member, onConfirm, onSignOut, initialOutcome = null } = props;
  const { device, codeHash } = request;
  const [outcome, setOutcome] = useState(initialOutcome);
  const [busy, setBusy] = useState(false);
  if (outcome === "confirmed") {
    return (
      <FullPage title={`${device} is confirmed`}>
        <p role="status">
          Go back to Gleaner’s window on that computer within ten minutes. It shows what Gleaner may do there,
          and asks you to join.
        </p>
        <ToConsole>Open the console</ToConsole>
      </FullPage>
    );
  }
  if (outcome === "canceled") {
    return (
      <FullPage title="Nothing was confirmed">
        <p role="status">
          The computer cannot join by this page. If you did not start this yourself, tell an administrator.
        </p>
        <ToConsole>Open the console</ToConsole>
      </FullPage>
    );
  }
  if (onConfirm === null) {
    return (
      <FullPage title="You cannot add a computer">
        <p role="alert">
          Your roles in {organization} do not include lending computers. Ask an administrator for the role
          Donor, or for an enrollment code.
        </p>
        <SignedInAs member={member} onSignOut={onSignOut} />
      </FullPage>
    );
  }
  const submit = async (): Promise<void> => {
    setBusy(true);
    if (await onConfirm()) setOutcome("confirmed");
    setBusy(false);
  };
  return (
    <FullPage title={`Let this computer join ${organization}?`}>
      <dl className="grid grid-cols-[6.5rem_1fr] items-baseline gap-x-3 gap-y-1.5 text-ink">
        <dt className="text-muted">Computer</dt>
        <dd className="wrap-anywhere">{device}</dd>
        <dt className="text-muted">Belongs to</dt>
        <dd className="wrap-anywhere">{member}</dd>
        <dt className="text-muted">Number</dt>
        <dd className="text-lg font-semibold tracking-wider tabular-nums">{confirmationNumber(codeHash)}</dd>
      </dl>
      <p>
        Confirm it only if Gleaner’s window, on the computer in front of you, shows the same number. Otherwise
        somebody else may want to add their computer in your name. A computer that joined works on the
        requests of your colleagues.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" disabled={busy} onClick={() => void submit()}>
          The number is the same
        </Button>
        <Button disabled={busy} onClick={() => setOutcome("canceled")}>
          Cancel
        </Button>
      </div>
      <SignedInAs member={member} onSignOut={onSignOut} />
    </FullPage>
  );
}

function ToConsole({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <p>
      <a href={hrefOf("devices")} className="font-medium text-accent underline">
        {children}
      </a>
    </p>
  );
}

function SignedInAs({ member, onSignOut }: Pick<ViewProps, "member" | "onSignOut">): ReactNode {
  return (
    <div className="flex flex-wrap gap-x-2 text-xs">
      <p className="wrap-anywhere">You are signed in as {member}.</p>
      <button type="button" className="font-medium text-accent underline" onClick={onSignOut}>
        Sign out
      </button>
    </div>
  );
}
