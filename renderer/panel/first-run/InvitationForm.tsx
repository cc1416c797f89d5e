import { type ReactNode, useState } from "react";
import { type GivenInvitation, givenInvitation } from "../../../app/contract/invitation.ts";
import type { NearbyServer } from "../../../app/nearby-servers.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Field } from "../../ui/controls/Field.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import { NearbyServers } from "./NearbyServers.tsx";

type Props = {
  /** The invitation that the form shows at first: an earlier entry, or the link that opened the program. */
  readonly initial: GivenInvitation["invitation"] | null;
  readonly title: string;
  /** The only server that this computer may join. Null: the person enters one. */
  readonly onlyServer: string | null;
  /** The servers that announce themselves on this computer's network. */
  readonly onFindServers: () => Promise<readonly NearbyServer[]>;
  /** Resolves to null, or to the reason for a refusal. */
  readonly onLookUp: (given: GivenInvitation) => Promise<string | null>;
};

type Way = "link" | "code" | "sign-in";

/** Asks for an invitation's link, or for a server's address with a code or to sign in there. The network may offer the address. */
export function InvitationForm({ initial, title, onlyServer, onFindServers, onLookUp }: Props): ReactNode {
  const [way, setWay] = useState<Way>(
    initial === null ? (onlyServer === null ? "link" : "code") : wayOf(initial),
  );
  const [link, setLink] = useState(initial !== null && "link" in initial ? initial.link : "");
  const [server, setServer] = useState(
    onlyServer ?? (initial !== null && "server" in initial ? initial.server : ""),
  );
  const [announcedPin, setAnnouncedPin] = useState(
    initial !== null && "server" in initial ? initial.announcedPin : null,
  );
  const [code, setCode] = useState(initial !== null && "code" in initial ? initial.code : "");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    const given = {
      invitation:
        way === "link"
          ? { link }
          : way === "code"
            ? { server, code, announcedPin }
            : { server, announcedPin },
      insecureHttp: false,
      isPinConfirmed: false,
    };
    const parsed = givenInvitation.safeParse(given);
    if (!parsed.success) {
      setError(incompleteWords(way));
      return;
    }
    setError(null);
    setBusy(true);
    setError(await onLookUp(parsed.data));
    setBusy(false);
  };
  const changed =
    (set: (value: string) => void) => (event: { readonly target: { readonly value: string } }) => {
      set(event.target.value);
      setError(null);
    };
  const choose = ({ url, pin }: NearbyServer): void => {
    if (way === "link") setWay("code");
    setServer(url);
    setAnnouncedPin(pin);
    setError(null);
  };
  const common = { autoComplete: "off", spellCheck: false } as const;
  return (
    <>
      <div className="grid gap-2">
        <h1 className="text-lg font-semibold">{title}</h1>
        <p className="text-muted">
          Gleaner lets this computer work for your organization while you do not use it. It stops the moment
          you come back.
        </p>
      </div>
      <Form className="grid gap-4" onSubmit={() => void submit()}>
        {way === "link" ? null : onlyServer === null ? (
          <Field
            {...common}
            key="server"
            autoFocus
            label="Server’s address"
            placeholder="https://gleaner.example.org"
            value={server}
            error={way === "sign-in" ? error : null}
            onChange={changed((address) => {
              setServer(address);
              // The pin belongs to the announced address.
              setAnnouncedPin(null);
            })}
          />
        ) : (
          <div>
            <p className="text-muted">Your administrator chose the server:</p>
            <p className="font-medium wrap-anywhere">{onlyServer}</p>
          </div>
        )}
        {way === "code" ? (
          <Field
            {...common}
            key="code"
            autoFocus={onlyServer !== null}
            label="Code"
            placeholder="GLN-XXXX-XXXX-XXXX"
            value={code}
            error={error}
            onChange={changed(setCode)}
          />
        ) : null}
        {way === "link" ? (
          <Field
            {...common}
            key="link"
            autoFocus
            label="Invitation link"
            hint="Your administrator sends it to you."
            placeholder="https://…"
            value={link}
            error={error}
            onChange={changed(setLink)}
          />
        ) : null}
        {way === "sign-in" ? (
          <p className="text-muted">
            Your browser opens. You sign in there as usual, and confirm this computer. It then belongs to you.
          </p>
        ) : null}
        {way === "sign-in" && onlyServer !== null && error !== null ? (
          <p role="alert" className="text-bad">
            {error}
          </p>
        ) : null}
        <div>
          <Button type="submit" look="primary" disabled={busy}>
            {busy ? "Looking it up…" : way === "sign-in" ? "Open the sign-in page" : "Continue"}
          </Button>
        </div>
        <div className="flex flex-wrap gap-2">
          {(["link", "code", "sign-in"] as const)
            .filter((other) => other !== way)
            .map((other) => (
              <Button
                key={other}
                size="sm"
                disabled={busy}
                onClick={() => {
                  setWay(other);
                  setError(null);
                }}
              >
                {otherWayWords(other)}
              </Button>
            ))}
        </div>
      </Form>
      {onlyServer === null ? (
        <NearbyServers
          onFind={onFindServers}
          chosen={way !== "link" && announcedPin !== null ? { url: server, pin: announcedPin } : null}
          onChoose={choose}
        />
      ) : null}
    </>
  );
}

function wayOf(invitation: GivenInvitation["invitation"]): Way {
  if ("link" in invitation) return "link";
  return "code" in invitation ? "code" : "sign-in";
}

function otherWayWords(way: Way): string {
  switch (way) {
    case "link":
      return "I have a link";
    case "code":
      return "I have a code instead";
    case "sign-in":
      return "Sign in to your organization";
  }
}

function incompleteWords(way: Way): string {
  switch (way) {
    case "link":
      return "Paste the whole invitation link.";
    case "code":
      return "Enter the server’s address and the whole code.";
    case "sign-in":
      return "Enter the server’s address.";
  }
}
