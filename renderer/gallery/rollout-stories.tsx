import { LinkField } from "../console/models/LinkField.tsx";
import { emptyForm } from "../console/models/model-form.ts";
import { ModelDialog } from "../console/models/ModelDialog.tsx";
import { ModelsView } from "../console/models/ModelsView.tsx";
import { ShelfOffer } from "../console/overview/ShelfOffer.tsx";
import { FailuresView } from "../console/rollouts/ModelRollout.tsx";
import { impactWords } from "../console/rollouts/rollout-words.ts";
import { RolloutPanel } from "../console/rollouts/RolloutPanel.tsx";
import { StartRollout } from "../console/rollouts/StartRollout.tsx";
import { Confirm } from "../ui/overlays/Confirm.tsx";
import * as rows from "./fixtures/console-rows.ts";
import { failures, offer, rollout, stoppedRollout } from "./fixtures/rollout-rows.ts";
import { inShell } from "./in-shell.tsx";
import type { Story } from "./story.ts";

const nothing = (): void => undefined;
const refused = (): Promise<boolean> => Promise.resolve(false);

/** Models that are rolled out in stages, and the offer of a first one. */
export function rolloutStories(now: number): readonly Story[] {
  const view = {
    models: rows.catalog(now),
    signingKey: null,
    prices: null,
    opened: null,
    devicesOf: () => null,
    onOpen: nothing,
    changes: { onAdd: nothing, onEdit: nothing, onRetire: nothing, onReinstate: nothing },
  } as const;
  const model = "qwen3-4b-instruct-q4";
  return [
    inShell(
      "console-rollout",
      "models",
      <ModelsView
        {...view}
        rollouts={[rollout(now)]}
        rolloutOf={(row) => (
          <RolloutPanel rollout={row} onAct={nothing} failures={null} onFailures={nothing} />
        )}
      />,
    ),
    inShell(
      "console-rollout-stopped",
      "models",
      <ModelsView
        {...view}
        rollouts={[stoppedRollout(now)]}
        rolloutOf={(row) => (
          <RolloutPanel
            rollout={row}
            onAct={nothing}
            failures={<FailuresView failures={failures} />}
            onFailures={nothing}
          />
        )}
      />,
    ),
    inShell(
      "console-rollout-planning",
      "models",
      <RolloutPanel
        rollout={rollout(now, { state: "planning", stage: 0, byStage: [], previous: null })}
        onAct={nothing}
        failures={null}
        onFailures={nothing}
      />,
    ),
    inShell(
      "console-rollout-advance",
      "models",
      <Confirm
        title={`Begin next stage: ${model}?`}
        action="Begin next stage"
        onConfirm={nothing}
        onClose={nothing}
      >
        {impactWords(rollout(now), "advance", 4_900_000_000)}
      </Confirm>,
    ),
    inShell(
      "console-rollout-start",
      "models",
      <StartRollout
        modelId={model}
        sizeBytes={2_497_281_120}
        devices={41}
        onStart={refused}
        onClose={nothing}
      />,
    ),
    inShell(
      "console-model-add-many",
      "models",
      <ModelDialog
        initial={emptyForm}
        isKnown={false}
        fromLink={() => <LinkField outcome={null} isReading={false} seesDevices onInspect={nothing} />}
        devices={41}
        onSave={refused}
        onClose={nothing}
      />,
    ),
    inShell("console-overview-offer", "overview", <ShelfOffer offer={offer} onDismiss={nothing} />),
  ];
}
