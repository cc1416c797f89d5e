import { type ReactNode, useState } from "react";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { ShownOnce } from "../secrets/ShownOnce.tsx";

type Props = {
  /** Null: there is none. Undefined while it loads. */
  readonly token: { readonly createdAt: number } | null | undefined;
  /** The address of the API, where the metrics are. */
  readonly apiBase: string;
  /** Null for those who may not change it. */
  readonly changes: TokenChanges | null;
};

type TokenChanges = {
  /** Makes a token. Resolves to null if the server refused. */
  readonly onCreate: () => Promise<string | null>;
  readonly onRemove: () => void;
};

/** The token with which Prometheus reads the metrics. */
export function MetricsToken({ token, apiBase, changes }: Props): ReactNode {
  const [secret, setSecret] = useState<string | null>(null);
  const [asked, setAsked] = useState<"replace" | "remove" | null>(null);
  const create = (): void => void changes?.onCreate().then(setSecret);
  const close = (): void => setAsked(null);
  return (
    <Card
      title="Prometheus"
      aside={
        token === undefined || changes === null ? null : token === null ? (
          <Button size="sm" onClick={create}>
            Create token
          </Button>
        ) : (
          <div className="flex gap-1.5">
            <Button size="sm" onClick={() => setAsked("replace")}>
              Replace token
            </Button>
            <Button size="sm" look="quiet" onClick={() => setAsked("remove")}>
              Remove token
            </Button>
          </div>
        )
      }
    >
      <p className="text-muted">
        Prometheus can read these numbers at <code className="font-mono text-xs">{apiBase}/metrics</code> with
        a token.{" "}
        {token === undefined ? null : token === null ? (
          "There is no token, so nobody can."
        ) : (
          <>
            Its token was created <RelativeTime at={token.createdAt} />.
          </>
        )}
      </p>
      {secret === null ? null : (
        <Dialog title="Token for metrics" onClose={() => setSecret(null)}>
          <ShownOnce secret={secret} name="token" onDone={() => setSecret(null)}>
            Save it in a file, and name the file in Prometheus as <code>credentials_file</code>.
          </ShownOnce>
        </Dialog>
      )}
      {asked === null || changes === null ? null : (
        <Confirm
          title={asked === "replace" ? "Replace the token?" : "Remove the token?"}
          action={asked === "replace" ? "Replace" : "Remove"}
          danger
          onConfirm={asked === "replace" ? create : changes.onRemove}
          onClose={close}
        >
          Prometheus can no longer read the metrics with the present token.
        </Confirm>
      )}
    </Card>
  );
}
