import type { FunctionReturnType } from "convex/server";
import { type ReactNode, useState } from "react";
import type { api } from "../../../convex/_generated/api.js";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";

type DataKey = FunctionReturnType<typeof api.console.data.keys.state>;

type Props = {
  readonly dataKey: DataKey | undefined;
  /** Null for those who may not destroy it. */
  readonly onDestroy: (() => void) | null;
};

/** Whether prompts, answers and files are stored encrypted, and the end of their key. */
export function DataKeyView({ dataKey, onDestroy }: Props): ReactNode {
  const [asking, setAsking] = useState(false);
  if (dataKey === undefined) return null;
  const { state } = dataKey;
  const isThere = state === "on" || state === "locked";
  return (
    <Card
      title="Encryption"
      aside={
        onDestroy === null || !isThere ? null : (
          <Button size="sm" look="quiet" className="-mr-2.5" onClick={() => setAsking(true)}>
            Destroy the data key…
          </Button>
        )
      }
    >
      <p className={isThere ? "" : "text-muted"}>
        <StateWords state={state} />
      </p>
      {asking && onDestroy !== null ? (
        <Confirm
          danger
          title="Destroy the data key?"
          action="Destroy the data key"
          onConfirm={onDestroy}
          onClose={() => setAsking(false)}
        >
          Then nobody can read the prompts, the answers and the files of batches that are stored now. Jobs and
          batches that have not ended are canceled. Later requests get a new key. Backups have the old key,
          too, until your operator replaces the server’s key. Nobody can undo this.
        </Confirm>
      ) : null}
    </Card>
  );
}

function StateWords({ state }: { readonly state: DataKey["state"] }): ReactNode {
  switch (state) {
    case "on":
      return "Prompts, answers and the files of batches are stored encrypted, with a key of your organization.";
    case "none":
      return "The key of your organization is being made. Requests are refused until then.";
    case "locked":
      return "The server lacks the key of your organization, so nobody can read prompts and answers, and requests are refused. Its operator has to put GLEANER_DATA_KEY back.";
    case "off":
      return "Prompts and answers are stored as they are, since the server has no key. Its operator can set GLEANER_DATA_KEY.";
  }
}
