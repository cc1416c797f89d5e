import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import type { ModelRow } from "../data/rows.ts";
import { useAct, useSession } from "../data/session-context.ts";
import { useOpened } from "../palette/use-opened.ts";
import { emptyForm, type ModelForm } from "./model-form.ts";
import { ModelAliases } from "./ModelAliases.tsx";
import { ModelDevices } from "./ModelDevices.tsx";
import { ModelDialog } from "./ModelDialog.tsx";
import { ModelFromLink } from "./ModelFromLink.tsx";
import { ModelsView } from "./ModelsView.tsx";
import { PriorityPrices } from "./PriorityPrices.tsx";

export function ModelsPage(): ReactNode {
  const session = useSession();
  const models = useQuery(api.console.models.list, { session });
  const signingKey = useQuery(api.console.models.signingKey, { session });
  const prices = useQuery(api.console.models.priorityPrices, { session });
  const setPrices = useAct(api.console.models.setPriorityPrices);
  const add = useAct(api.console.models.add);
  const change = useAct(api.console.models.change);
  const retire = useAct(api.console.models.retire);
  const reinstate = useAct(api.console.models.reinstate);
  const [opened, setOpened] = useState<string | null>(null);
  const [isNew, setIsNew] = useOpened("new-model");
  const [edited, setEdited] = useState<ModelRow | null>(null);
  return (
    <div className="grid gap-4">
      <ModelsView
        models={models}
        signingKey={signingKey}
        prices={
          prices === undefined ? null : (
            <PriorityPrices
              prices={prices}
              onSet={(wanted) =>
                void setPrices({ ...wanted }, () => ({
                  words: "The prices of priorities were saved.",
                  undo: () => void setPrices({ ...prices }, "The former prices are back."),
                }))
              }
            />
          )
        }
        opened={opened}
        devicesOf={(model) => <ModelDevices model={model} />}
        onOpen={setOpened}
        onAdd={() => setIsNew(true)}
        onEdit={setEdited}
        onRetire={({ modelId }) => void retire({ modelId }, `${modelId} was retired.`)}
        onReinstate={({ modelId }) => void reinstate({ modelId }, `${modelId} was reinstated.`)}
      />
      <ModelAliases models={models} />
      {isNew ? (
        <ModelDialog
          initial={emptyForm}
          isKnown={false}
          fromLink={(fill) => <ModelFromLink onRead={fill} />}
          onSave={({ entry: { pieces, ...entry }, price }) =>
            add(
              {
                entry: {
                  ...entry,
                  pieces: pieces === null ? null : { ...pieces, pieceHashes: [...pieces.pieceHashes] },
                },
                price,
              },
              `${entry.modelId} was added.`,
            )
          }
          onClose={() => setIsNew(false)}
        />
      ) : null}
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
    prompt: String(price.promptMicro),
    completion: String(price.completionMicro),
  };
}
