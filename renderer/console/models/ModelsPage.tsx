import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { typedNumber } from "../../../app/format/typed-number.ts";
import type { PriorityPrices as Prices } from "../../../app/jobs/priority.ts";
import { isEnded } from "../../../app/models/rollout/acts.ts";
import type { RolloutPace, StageSize } from "../../../app/models/rollout/stages.ts";
import { countedSum } from "../../../app/statistics/counted.ts";
import { api } from "../../../convex/_generated/api.js";
import { Button } from "../../ui/controls/Button.tsx";
import type { FleetCounts, ModelRow } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { useOpened } from "../palette/use-opened.ts";
import { PriceList } from "../prices/PriceList.tsx";
import { ModelRollout } from "../rollouts/ModelRollout.tsx";
import type { WantedRollout } from "../rollouts/rollout-form.ts";
import { StartRollout } from "../rollouts/StartRollout.tsx";
import { useFilter } from "../shell/route.ts";
import { emptyForm, type ModelForm } from "./model-form.ts";
import { ModelAliases } from "./ModelAliases.tsx";
import { ModelDevices } from "./ModelDevices.tsx";
import { ModelDialog } from "./ModelDialog.tsx";
import { ModelFromLink } from "./ModelFromLink.tsx";
import { ModelsView } from "./ModelsView.tsx";
import { PriorityPrices } from "./PriorityPrices.tsx";
import { RetireModel } from "./RetireModel.tsx";

export function ModelsPage(): ReactNode {
  const session = useSession();
  const models = useQuery(api.console.models.list, { session });
  const signingKey = useQuery(api.console.models.signingKey, { session });
  const prices = useQuery(api.console.models.priorityPrices, { session });
  const setPrices = useAct(api.console.models.setPriorityPrices);
  const [draftPrices, setDraftPrices] = useState<Prices | null>(null);
  const queue = useQuery(api.console.queue.stats, draftPrices === null ? "skip" : { session });
  const unfinished =
    queue === undefined ? undefined : countedSum(countedSum(queue.ready, queue.waiting), queue.running);
  const add = useAct(api.console.models.add);
  const change = useAct(api.console.models.change);
  const retire = useAct(api.console.models.retire);
  const reinstate = useAct(api.console.models.reinstate);
  // In the address, so that alerts lead to it.
  const [opened, setOpened] = useFilter("model");
  const [isNew, setIsNew] = useOpened("new-model");
  const [link, setLink] = useFilter("link");
  const [staged, setStaged] = useState<ModelRow | null>(null);
  const rollouts = useQuery(api.console.rollouts.list, { session }) ?? [];
  const seesDevices = useScope("devices.read") !== null;
  const counts = useQuery(
    api.console.devices.counts,
    seesDevices && (isNew || staged !== null) ? { session } : "skip",
  );
  const devices = counts === undefined ? null : inService(counts.states);
  const start = useAct(api.console.rollouts.start);
  const mayChange = useScope("models.change") !== null;
  const mayChangePrices = useScope("money.change") !== null;
  const [edited, setEdited] = useState<ModelRow | null>(null);
  const [retiring, setRetiring] = useState<ModelRow | null>(null);
  const isRollingOut = (model: ModelRow): boolean =>
    rollouts.some(({ modelId, state }) => modelId === model.modelId && !isEnded(state));
  return (
    <div className="grid gap-4">
      <ModelsView
        models={models}
        signingKey={signingKey}
        prices={
          prices === undefined ? null : (
            <PriorityPrices
              prices={prices}
              draft={draftPrices}
              unfinished={unfinished}
              onDraft={setDraftPrices}
              onSet={
                mayChangePrices
                  ? (wanted) =>
                      void setPrices(wanted, (before) => ({
                        words: "The prices of priorities were saved.",
                        undo: () => void setPrices(before, "The former prices are back."),
                      }))
                  : null
              }
            />
          )
        }
        opened={opened === "" ? null : opened}
        rollouts={rollouts}
        rolloutOf={(rollout, { sizeBytes }) => <ModelRollout rollout={rollout} sizeBytes={sizeBytes} />}
        devicesOf={
          seesDevices
            ? (model) => (
                <div className="grid gap-2">
                  {!mayChange || model.retired || isRollingOut(model) ? null : (
                    <div>
                      <Button size="sm" onClick={() => setStaged(model)}>
                        Roll out in stages
                      </Button>
                    </div>
                  )}
                  <ModelDevices model={model} />
                </div>
              )
            : null
        }
        onOpen={(modelId) => setOpened(modelId ?? "")}
        changes={
          mayChange
            ? {
                onAdd: () => setIsNew(true),
                onEdit: setEdited,
                onRetire: setRetiring,
                onReinstate: ({ modelId }) => void reinstate({ modelId }, `${modelId} was reinstated.`),
              }
            : null
        }
      />
      {models === undefined ? null : <PriceList models={models.filter(({ retired }) => !retired)} />}
      <ModelAliases models={models} />
      {isNew && mayChange ? (
        <ModelDialog
          initial={emptyForm}
          isKnown={false}
          devices={devices}
          fromLink={(fill) => <ModelFromLink initialLink={link} onRead={fill} />}
          onSave={({ entry: { pieces, ...entry }, price }, rollout) =>
            add(
              {
                entry: {
                  ...entry,
                  pieces: pieces === null ? null : { ...pieces, pieceHashes: [...pieces.pieceHashes] },
                },
                price,
                ...(rollout === null ? {} : { rollout: asArgs(rollout) }),
              },
              `${entry.modelId} was added.`,
            )
          }
          onClose={() => {
            setLink("");
            setIsNew(false);
          }}
        />
      ) : null}
      {staged === null ? null : (
        <StartRollout
          modelId={staged.modelId}
          sizeBytes={staged.sizeBytes}
          devices={devices}
          onStart={(wanted) =>
            start({ modelId: staged.modelId, ...asArgs(wanted) }, `The roll-out of ${staged.modelId} began.`)
          }
          onClose={() => setStaged(null)}
        />
      )}
      {retiring === null ? null : (
        <RetireModel
          modelId={retiring.modelId}
          isRollingOut={isRollingOut(retiring)}
          onRetire={() => {
            const { modelId } = retiring;
            void retire({ modelId }, () => ({
              words: `${modelId} was retired.`,
              undo: () => void reinstate({ modelId }, `${modelId} was reinstated.`),
            }));
          }}
          onClose={() => setRetiring(null)}
        />
      )}
      {edited === null ? null : (
        <ModelDialog
          initial={formOf(edited)}
          isKnown
          onSave={({ entry: { modelId, source, licence, contextTokens, template }, price }) =>
            change({ modelId, change: { source, licence, contextTokens, template, price } }, () => ({
              words: `${modelId} was saved.`,
              undo: () =>
                void change({ modelId, change: formerOf(edited) }, `${modelId} is as it was before.`),
            }))
          }
          onClose={() => setEdited(null)}
        />
      )}
    </div>
  );
}

/** The values of a model before a change, which an undo brings back. */
function formerOf({ source, licence, contextTokens, template, price }: ModelRow) {
  return { source, licence, contextTokens, template, price };
}

function asArgs({ sizes, pace }: WantedRollout): { sizes: StageSize[]; pace: RolloutPace } {
  return { sizes: [...sizes], pace };
}

/** The devices that models are offered to. */
function inService(states: FleetCounts["states"]): number {
  const { pending: _pending, retired: _retired, ...others } = states;
  return Object.values(others).reduce((sum, devices) => sum + devices, 0);
}

function formOf(model: ModelRow): ModelForm {
  const { modelId, source, sha256, sizeBytes, contextTokens, licence, template, price } = model;
  return {
    modelId,
    source,
    sha256,
    licence,
    pieces: null,
    sizeBytes: String(sizeBytes),
    contextTokens: String(contextTokens),
    template: template ?? "",
    prompt: typedPrice(price.promptMicro),
    completion: typedPrice(price.completionMicro),
  };
}

/** As the form's fields show and read it. */
function typedPrice(microPerToken: bigint): string {
  return typedNumber(Number(microPerToken) / 1_000);
}
