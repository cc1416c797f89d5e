import { type ReactNode, useState } from "react";
import type { GivenInvitation, InvitationAnswer, Setup } from "../../../app/contract/invitation.ts";
import { Logo } from "../../ui/Logo.tsx";
import { Consent, type FoundOrganization } from "./Consent.tsx";
import { InvitationForm } from "./InvitationForm.tsx";
import { Unencrypted } from "./Unencrypted.tsx";

export type Step =
  | { readonly kind: "asking" }
  | { readonly kind: "unencrypted"; readonly server: string; readonly given: GivenInvitation["invitation"] }
  | { readonly kind: "found"; readonly organization: FoundOrganization };

/** An answer, or the reason for a refusal in a sentence. */
type Outcome<T> = { readonly value: T } | { readonly refusal: string };

type Props = {
  readonly setup: Setup;
  readonly initialStep?: Step;
  readonly onLookUp: (given: GivenInvitation) => Promise<Outcome<InvitationAnswer>>;
  readonly onJoin: () => Promise<string | null>;
};

/** The page of the first start: an invitation, then the organization that it is for, then the person's consent. */
export function FirstRunView({
  setup,
  initialStep = { kind: "asking" },
  onLookUp,
  onJoin,
}: Props): ReactNode {
  const [step, setStep] = useState<Step>(initialStep);
  const [invitation, setInvitation] = useState<GivenInvitation["invitation"] | null>(
    setup.link === null ? null : { link: setup.link },
  );
  const lookUp = async (given: GivenInvitation): Promise<string | null> => {
    setInvitation(given.invitation);
    const outcome = await onLookUp(given);
    if ("refusal" in outcome) return outcome.refusal;
    const answer = outcome.value;
    setStep(
      answer.kind === "found"
        ? { kind: "found", organization: answer }
        : { kind: "unencrypted", server: answer.server, given: given.invitation },
    );
    return null;
  };
  const back = (): void => setStep({ kind: "asking" });
  return (
    <div className="flex min-h-screen flex-col">
      <header className="flex items-center gap-2.5 px-4 py-2.5">
        <span className="text-accent">
          <Logo size={24} />
        </span>
        <span className="leading-4 font-semibold">Gleaner</span>
      </header>
      <main className="mx-auto grid w-full max-w-md content-start gap-4 px-4 pb-6">
        {step.kind === "asking" ? <InvitationForm initial={invitation} onLookUp={lookUp} /> : null}
        {step.kind === "unencrypted" ? (
          <Unencrypted
            server={step.server}
            onBack={back}
            onAllow={() => lookUp({ invitation: step.given, insecureHttp: true })}
          />
        ) : null}
        {step.kind === "found" ? (
          <Consent organization={step.organization} device={setup.device} onBack={back} onJoin={onJoin} />
        ) : null}
      </main>
    </div>
  );
}
