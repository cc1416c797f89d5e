import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import type { ModelRow } from "../data/rows.ts";
import { useAct, useSession } from "../data/session-context.ts";
import { emptyForm, type ModelForm } from "./model-form.ts";
import { ModelDevices } from "./ModelDevices.tsx";
import { ModelDialog } from "./ModelDialog.tsx";
import { ModelsView } from "./ModelsView.tsx";

export function ModelsPage(): ReactNode {
  const session = useSession();
  const models = useQuery(api.adminModels.list, { session });
  const add = useAct(api.adminModels.add);
  const change = useAct(api.adminModels.change);
  const retire = useAct(api.adminModels.retire);
  const reinstate = useAct(api.adminModels.reinstate);
  const [opened, setOpened] = useState<string | null>(null);
  const [adding, setAdding] = useState(false);
  const [changing, setChanging] = useState<ModelForm | null>(null);
  return (
    <>
      <ModelsView
        models={models}
        opened={opened}
        devicesOf={(model) => <ModelDevices model={model} />}
        onOpen={setOpened}
        onAdd={() => setAdding(true)}
        onChange={(model) => setChanging(formOf(model))}
        onRetire={({ modelId }) => void retire({ modelId }, `${modelId} is retired.`)}
        onReinstate={({ modelId }) => void reinstate({ modelId }, `${modelId} is back.`)}
      />
      <ModelDialog
        first={adding ? emptyForm : null}
        isKnown={false}
        onSave={async ({ entry: { pieces, ...entry }, price }) =>
          await add(
            {
              entry: {
                ...entry,
                pieces: pieces === null ? null : { ...pieces, pieceHashes: [...pieces.pieceHashes] },
              },
              price,
            },
            `${entry.modelId} is in the catalog.`,
          )
        }
        onClose={() => setAdding(false)}
      />
      <ModelDialog
        first={changing}
        isKnown
        onSave={async ({ entry: { modelId, source, licence, contextTokens, template }, price }) =>
          await change(
            { modelId, change: { source, licence, contextTokens, template, price } },
            `${modelId} is changed.`,
          )
        }
        onClose={() => setChanging(null)}
      />
    </>
  );
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
