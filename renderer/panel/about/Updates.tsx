import type { ReactNode } from "react";
import type { UpdatesView } from "../../../app/contract/updates.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { useAct } from "../state/actions.ts";
import { sayUpdates } from "./say-updates.ts";

/** New versions of the program, and the button that installs one. */
export function Updates({ updates }: { readonly updates: UpdatesView }): ReactNode {
  const act = useAct();
  const isOn = updates.kind === "on";
  return (
    <Card title="Updates">
      <p className="text-muted">{sayUpdates(updates)}</p>
      {isOn && updates.rolledBack !== null ? (
        <p className="mt-2">
          Version {updates.rolledBack} did not work on this computer, so Gleaner went back to this one.
        </p>
      ) : null}
      {isOn && updates.next?.state === "ready" ? (
        <div className="mt-3">
          <Button look="primary" onClick={() => act("restartToUpdate", null)}>
            Restart to update
          </Button>
        </div>
      ) : null}
      {isOn && updates.channel === "early" ? (
        <p className="mt-3 text-xs text-muted">This computer gets early versions.</p>
      ) : null}
      {isOn && updates.lookedAt !== null ? (
        <p className="mt-3 text-xs text-muted">
          Last checked: <RelativeTime at={updates.lookedAt} />
        </p>
      ) : null}
    </Card>
  );
}
