import { type ReactNode, useState } from "react";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { Tabs } from "../../ui/controls/Tabs.tsx";
import { ShownOnce } from "../secrets/ShownOnce.tsx";
import { type ApiServer, snippets } from "./snippets.ts";

type Props = {
  readonly secret: string;
  readonly server: ApiServer;
  readonly model: string;
  readonly onDone: () => void;
};

/** Shows a new key once, with calls that work. */
export function KeyMade({ secret, server, model, onDone }: Props): ReactNode {
  const all = snippets(server, secret, model);
  const [shown, setShown] = useState("curl");
  return (
    <ShownOnce secret={secret} name="key" onDone={onDone}>
      <Tabs
        label="Try it"
        value={shown}
        onChange={setShown}
        tabs={all.map(({ label, text }) => ({
          value: label,
          label,
          content: <Copyable block text={text} label={`the ${label} example`} />,
        }))}
      />
      {server.ownCertificate ? (
        <p className="mt-2 text-xs">
          No authority knows this server’s certificate. Copy certificate.pem, from the folder tls of the
          server’s data folder, to the computer that calls.
        </p>
      ) : null}
    </ShownOnce>
  );
}
