import { usePaginatedQuery } from "convex-helpers/react";
import { type ReactNode, useState } from "react";
import type { RolloutAct } from "../../../app/models/rollout/acts.ts";
import { api } from "../../../convex/_generated/api.js";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import type { FailedDevice, RolloutRow } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { hrefOf } from "../shell/route.ts";
import { actWords, failureWords, impactWords } from "./rollout-words.ts";
import { RolloutPanel } from "./RolloutPanel.tsx";

type Props = { readonly rollout: RolloutRow; readonly sizeBytes: number };

/** A model's roll-out with its acts. Each says its effect first, and can be undone. */
export function ModelRollout({ rollout, sizeBytes }: Props): ReactNode {
  const { modelId } = rollout;
  const change = useAct(api.console.rollouts.change);
  const mayChange = useScope("models.change") !== null;
  const seesDevices = useScope("devices.read") !== null;
  const [asked, setAsked] = useState<RolloutAct | null>(null);
  const [isShown, setShown] = useState(false);
  const run = (act: RolloutAct): void => {
    const undo = (of: number): void => void change({ modelId, act: "undo", of }, actWords.undo.done);
    const words = actWords[act].done;
    void change({ modelId, act }, (at) => (act === "undo" ? { words } : { words, undo: () => undo(at) }));
  };
  return (
    <>
      <RolloutPanel
        rollout={rollout}
        onAct={mayChange ? setAsked : null}
        failures={isShown ? <Failures modelId={modelId} /> : null}
        onFailures={seesDevices ? setShown : null}
      />
      {asked === null ? null : (
        <Confirm
          title={`${actWords[asked].button}: ${modelId}?`}
          action={actWords[asked].button}
          danger={asked === "stop" || asked === "roll-back"}
          onConfirm={() => run(asked)}
          onClose={() => setAsked(null)}
        >
          {impactWords(rollout, asked, sizeBytes)}
        </Confirm>
      )}
    </>
  );
}

const perPage = 20;

/** Subscribes to the failed devices only while they are visible. */
function Failures({ modelId }: { readonly modelId: string }): ReactNode {
  const session = useSession();
  const { results, status, loadMore } = usePaginatedQuery(
    api.console.rollouts.failures,
    { session, modelId },
    { initialNumItems: perPage },
  );
  return (
    <div>
      <FailuresView failures={results} />
      <LoadMore
        onMore={status === "CanLoadMore" ? () => loadMore(perPage) : null}
        loading={status === "LoadingFirstPage" || status === "LoadingMore"}
      />
    </div>
  );
}

export function FailuresView({ failures }: { readonly failures: readonly FailedDevice[] }): ReactNode {
  return (
    <ul aria-label="Devices that failed" className="grid gap-1 text-xs">
      {failures.map(({ deviceId, name, why }) => (
        <li key={deviceId} className="wrap-anywhere">
          <a href={hrefOf("devices", deviceId)} className="font-medium text-accent hover:underline">
            {name}
          </a>{" "}
          <span className="text-muted">{failureWords(why)}</span>
        </li>
      ))}
    </ul>
  );
}
