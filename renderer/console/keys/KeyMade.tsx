import type { ReactNode } from "react";
import { ShownOnce } from "../secrets/ShownOnce.tsx";
import { type ApiServer, snippets } from "./snippets.ts";
import { SnippetTabs } from "./SnippetTabs.tsx";

type Props = {
  readonly secret: string;
  readonly server: ApiServer;
  readonly model: string;
  /** It has no credits, because its owner may not make any. */
  readonly needsCredits?: boolean;
  readonly onDone: () => void;
};

/** Shows a new key once, with calls that work. */
export function KeyMade({ secret, server, model, needsCredits = false, onDone }: Props): ReactNode {
  return (
    <ShownOnce secret={secret} name="key" onDone={onDone}>
      {needsCredits ? (
        <p className="text-sm">
          The key has no credits yet. Move some of yours to it on the page My credits, or ask an
          administrator.
        </p>
      ) : null}
      <SnippetTabs label="Try it" snippets={snippets(server, secret, model)} />
      {server.ownCertificate ? (
        <p className="mt-2 text-xs">
          No authority knows this server’s certificate. Copy certificate.pem, from the folder tls of the
          server’s data folder, to the computer that calls.
        </p>
      ) : null}
    </ShownOnce>
  );
}
