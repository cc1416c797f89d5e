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

/** Asks for an invitation: its link, or a server's address and a code. The network may offer the address. */
export function InvitationForm({ initial, title, onlyServer, onFindServers, onLookUp }: Props): ReactNode {
  const [byCode, setByCode] = useState(initial === null ? onlyServer !== null : !("link" in initial));
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
      invitation: byCode ? { server, code, announcedPin } : { link },
      insecureHttp: false,
      isPinConfirmed: false,
    };
    const parsed = givenInvitation.safeParse(given);
    if (!parsed.success) {
      setError(
        byCode ? "Enter the server’s address and the whole code." : "Paste the whole invitation link.",
      );
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
    setByCode(true);
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
        {byCode ? (
          <>
            {onlyServer === null ? (
              <Field
                {...common}
                key="server"
                autoFocus
                label="Server’s address"
                placeholder="https://gleaner.example.org"
                value={server}
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
          </>
        ) : (
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
        )}
        <div className="flex flex-wrap items-center justify-between gap-2">
          <Button type="submit" look="primary" disabled={busy}>
            {busy ? "Looking it up…" : "Continue"}
          </Button>
          <Button
            look="quiet"
            disabled={busy}
            onClick={() => {
              setByCode(!byCode);
              setError(null);
            }}
          >
            {byCode ? "I have a link" : "I have a code instead"}
          </Button>
        </div>
      </Form>
      {onlyServer === null ? (
        <NearbyServers
          onFind={onFindServers}
          chosen={byCode && announcedPin !== null ? { url: server, pin: announcedPin } : null}
          onChoose={choose}
        />
      ) : null}
    </>
  );
}
