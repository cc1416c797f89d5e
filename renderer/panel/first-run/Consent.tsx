import { type ReactNode, useState } from "react";
import type { InvitationAnswer } from "../../../app/contract/invitation.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { leavingPoints } from "../settings/leaving-points.ts";

export type FoundOrganization = Extract<InvitationAnswer, { kind: "found" }>;

type Props = {
  readonly organization: FoundOrganization;
  /** This computer's name. */
  readonly device: string;
  /** The organization that this computer leaves for it. Null if it belongs to none. */
  readonly leaves: string | null;
  readonly onJoin: () => Promise<string | null>;
  readonly onBack: () => void;
};

/** Names the organization, and what Gleaner may and may not do here, before this computer joins. */
export function Consent({ organization: found, device, leaves, onJoin, onBack }: Props): ReactNode {
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const join = async (): Promise<void> => {
    setBusy(true);
    const refusal = await onJoin();
    setError(refusal);
    // The panel takes this page's place once the computer has joined.
    if (refusal !== null) setBusy(false);
  };
  return (
    <>
      {/* The page is read from its beginning, and a second press of Enter must not agree to it. */}
      <h1 ref={focus} tabIndex={-1} className="text-lg font-semibold wrap-anywhere outline-none">
        {leaves === null ? `Join ${found.organization}?` : `Leave ${leaves} and join ${found.organization}?`}
      </h1>
      <Card>
        <dl className="grid grid-cols-[6.5rem_1fr] gap-x-3 gap-y-1.5 max-[20rem]:grid-cols-1 max-[20rem]:gap-y-0 max-[20rem]:[&>dd]:mb-2">
          <dt className="text-muted">Server</dt>
          <dd className="wrap-anywhere">{found.server}</dd>
          <dt className="text-muted">Proven by</dt>
          <dd>{proofWords(found.proof)}</dd>
          {found.keyFingerprint === null ? null : (
            <>
              <dt className="text-muted">Key</dt>
              <dd>
                <code className="wrap-anywhere">{found.keyFingerprint}</code>
                <p className="text-xs text-muted">
                  Your administrator sees the same key in the console, under Models.
                </p>
              </dd>
            </>
          )}
          <dt className="text-muted">This computer</dt>
          <dd className="wrap-anywhere">{device}</dd>
          {found.owner === null ? null : (
            <>
              <dt className="text-muted">Belongs to</dt>
              <dd className="wrap-anywhere">{found.owner}</dd>
            </>
          )}
        </dl>
      </Card>
      {leaves === null ? null : <Points title={`Leaving ${leaves}`} points={leavingPoints(leaves)} />}
      <Points
        title="Gleaner may"
        points={[
          "download your organization’s language models, and use this computer’s processor, graphics card and memory for its questions while nobody works here,",
          "tell your organization this computer’s name, its system, whether it is idle, and which models it has.",
        ]}
      />
      <Points
        title="Gleaner never"
        points={[
          "reads your files, or sees what you type or what is on the screen,",
          "keeps the questions and answers, which stay in memory,",
          "works while you use this computer, unless you tell it to. You can pause it at any time.",
        ]}
      />
      {found.needsApproval ? (
        <p className="text-muted">An administrator has to approve this computer before it works.</p>
      ) : null}
      {error === null ? null : (
        <p role="alert" className="text-bad">
          {error}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" disabled={busy} onClick={() => void join()}>
          {busy ? "Joining…" : leaves === null ? "Join" : "Leave and join"}
        </Button>
        <Button look="quiet" disabled={busy} onClick={onBack}>
          Back
        </Button>
      </div>
    </>
  );
}

function focus(heading: HTMLElement | null): void {
  heading?.focus();
}

function proofWords(proof: FoundOrganization["proof"]): string {
  switch (proof) {
    case "pinned-key":
      return "the key in your invitation";
    case "confirmed-key":
      return "the key that you compared";
    case "authority":
      return "its certificate";
    case "this-computer":
      return /* @wc-include */ "nothing, since it runs on this computer";
    case "none":
      return /* @wc-include */ "nothing, since the connection is not encrypted";
  }
}

function Points({
  title,
  points,
}: {
  readonly title: string;
  readonly points: readonly string[];
}): ReactNode {
  return (
    <div className="grid gap-1">
      <h2 className="text-sm font-semibold">{title}</h2>
      <ul className="grid list-disc gap-1 pl-5 text-muted">
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </div>
  );
}
