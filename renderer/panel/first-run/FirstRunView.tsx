import { type ReactNode, useCallback, useState } from "react";
import type {
  GivenInvitation,
  InvitationAnswer,
  Setup,
  WaitingSignIn,
} from "../../../app/contract/invitation.ts";
import { departureWords, lockedInWords } from "../../../app/contract/leaving.ts";
import type { NearbyServer } from "../../../app/nearby-servers.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Logo } from "../../ui/Logo.tsx";
import { Consent, type FoundOrganization } from "./Consent.tsx";
import { InvitationForm } from "./InvitationForm.tsx";
import { SigningIn } from "./SigningIn.tsx";
import { Unconfirmed } from "./Unconfirmed.tsx";
import { Unencrypted } from "./Unencrypted.tsx";

export type Step =
  | { readonly kind: "asking" }
  | { readonly kind: "unencrypted"; readonly server: string; readonly given: GivenInvitation["invitation"] }
  | {
      readonly kind: "unconfirmed";
      readonly server: string;
      readonly pin: string;
      readonly given: GivenInvitation["invitation"];
    }
  | ({ readonly kind: "sign-in" } & WaitingSignIn)
  | { readonly kind: "found"; readonly organization: FoundOrganization };

/** An answer, or the reason for a refusal in a sentence. */
type Outcome<T> = { readonly value: T } | { readonly refusal: string };

export type Props = {
  readonly setup: Setup;
  readonly initialStep?: Step;
  /** The servers that announce themselves on this computer's network. */
  readonly onFindServers: () => Promise<readonly NearbyServer[]>;
  readonly onLookUp: (given: GivenInvitation) => Promise<Outcome<InvitationAnswer>>;
  /** Resolves when the waiting sign-in has ended. */
  readonly onAwaitSignIn: () => Promise<Outcome<InvitationAnswer>>;
  /** Opens its page again. Resolves to whether the system took its address. */
  readonly onOpenSignIn: () => Promise<boolean>;
  readonly onCancelSignIn: () => void;
  readonly onJoin: () => Promise<string | null>;
  /** Keeps the organization that this computer belongs to. */
  readonly onStay: () => void;
};

/**
 * The page for joining an organization: an invitation or a sign-in, then the organization that it is for, then the person's consent. A
 * computer that belongs to an organization leaves that first.
 */
export function FirstRunView({
  setup,
  initialStep = setup.signIn === null ? { kind: "asking" } : { kind: "sign-in", ...setup.signIn },
  onFindServers,
  onLookUp,
  onAwaitSignIn,
  onOpenSignIn,
  onCancelSignIn,
  onJoin,
  onStay,
}: Props): ReactNode {
  const [step, setStep] = useState<Step>(initialStep);
  const [invitation, setInvitation] = useState<GivenInvitation["invitation"] | null>(
    setup.link === null ? null : { link: setup.link },
  );
  const lookUp = async (given: GivenInvitation): Promise<string | null> => {
    setInvitation(given.invitation);
    const outcome = await onLookUp(given);
    if ("refusal" in outcome) return outcome.refusal;
    setStep(stepOf(outcome.value, given.invitation));
    return null;
  };
  const awaitSignIn = useCallback(async (): Promise<string | null> => {
    const outcome = await onAwaitSignIn();
    if ("refusal" in outcome) return outcome.refusal;
    if (outcome.value.kind === "found") setStep({ kind: "found", organization: outcome.value });
    return null;
  }, [onAwaitSignIn]);
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
        {step.kind === "asking" ? (
          <>
            <Before setup={setup} onStay={onStay} />
            {setup.member?.mayLeave === false ? null : (
              <InvitationForm
                initial={invitation}
                onlyServer={setup.server}
                onFindServers={onFindServers}
                title={setup.member === null ? "Join your organization" : "Join another organization"}
                onLookUp={lookUp}
              />
            )}
          </>
        ) : null}
        {step.kind === "unencrypted" ? (
          <Unencrypted
            server={step.server}
            onBack={back}
            onAllow={() => lookUp({ invitation: step.given, insecureHttp: true, isPinConfirmed: false })}
          />
        ) : null}
        {step.kind === "unconfirmed" ? (
          <Unconfirmed
            server={step.server}
            pin={step.pin}
            onBack={back}
            onConfirm={() => lookUp({ invitation: step.given, insecureHttp: false, isPinConfirmed: true })}
          />
        ) : null}
        {step.kind === "sign-in" ? (
          <SigningIn
            signIn={step}
            onWait={awaitSignIn}
            onOpen={onOpenSignIn}
            onBack={() => {
              onCancelSignIn();
              back();
            }}
          />
        ) : null}
        {step.kind === "found" ? (
          <Consent
            organization={step.organization}
            device={setup.device}
            leaves={setup.member?.organization ?? null}
            onBack={back}
            onJoin={onJoin}
          />
        ) : null}
      </main>
    </div>
  );
}

function stepOf(answer: InvitationAnswer, given: GivenInvitation["invitation"]): Step {
  switch (answer.kind) {
    case "found":
      return { kind: "found", organization: answer };
    case "sign-in":
      return answer;
    case "unencrypted":
    case "unconfirmed":
      return { ...answer, given };
  }
}

/** The organization that this computer belongs to, or has just left. */
function Before({ setup: { member, departure }, onStay }: Pick<Props, "setup" | "onStay">): ReactNode {
  if (departure !== null) {
    return (
      <div role="status" className="grid gap-1 rounded-lg border border-line bg-surface px-4 py-3">
        {departureWords(departure).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    );
  }
  if (member === null) return null;
  return (
    <div className="grid justify-items-start gap-3 rounded-lg border border-line bg-surface px-4 py-3">
      <p className="wrap-anywhere">This computer belongs to {member.organization}.</p>
      <p className="text-muted">
        {member.mayLeave
          ? "It can belong to one organization at a time, so it leaves this one before it joins another. Nothing changes before you agree."
          : lockedInWords}
      </p>
      <Button look={member.mayLeave ? "plain" : "primary"} onClick={onStay}>
        Stay in {member.organization}
      </Button>
    </div>
  );
}
