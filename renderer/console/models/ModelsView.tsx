import { type ReactNode, useState } from "react";
import { formatBytes, formatCount } from "../../../app/format/quantity.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { Confirm } from "../../ui/overlays/Confirm.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { ModelRow } from "../data/rows.ts";
import { FleetProgress } from "./FleetProgress.tsx";
import { speedWords } from "./model-words.ts";

type Props = {
  readonly models: readonly ModelRow[] | undefined;
  /** The model whose devices are shown. */
  readonly opened: string | null;
  readonly devicesOf: (model: ModelRow) => ReactNode;
  readonly onOpen: (modelId: string | null) => void;
  readonly onAdd: () => void;
  readonly onChange: (model: ModelRow) => void;
  readonly onRetire: (model: ModelRow) => void;
  readonly onReinstate: (model: ModelRow) => void;
};

/** The catalog, and the state of each model in the fleet. */
export function ModelsView(props: Props): ReactNode {
  const { models, opened, devicesOf, onAdd, onRetire } = props;
  const [retiring, setRetiring] = useState<ModelRow | null>(null);
  return (
    <Card
      flush
      title="Catalog"
      aside={
        <Button look="primary" size="sm" onClick={onAdd}>
          Add model
        </Button>
      }
    >
      {models === undefined ? (
        <SkeletonRows />
      ) : models.length === 0 ? (
        <Empty title="No models yet">Devices download these models while nobody uses them.</Empty>
      ) : (
        <Table
          label="Models"
          columns={columns(props, setRetiring)}
          rows={models}
          keyOf={({ modelId }) => modelId}
          detail={(model) => (model.modelId === opened ? devicesOf(model) : null)}
        />
      )}
      <Confirm
        open={retiring !== null}
        title={`Retire ${retiring?.modelId ?? "this model"}?`}
        action="Retire"
        danger
        onConfirm={() => {
          if (retiring !== null) onRetire(retiring);
        }}
        onClose={() => setRetiring(null)}
      >
        New requests for it are refused, and devices may delete its file. Running jobs finish. You can
        reinstate it at any time.
      </Confirm>
    </Card>
  );
}

function columns(
  { opened, onOpen, onChange, onReinstate }: Props,
  retire: (model: ModelRow) => void,
): readonly Column<ModelRow>[] {
  return [
    {
      key: "model",
      title: "Model",
      cell: ({ modelId, licence, contextTokens, retired }) => (
        <div className="min-w-36">
          <p className="flex flex-wrap items-center gap-1.5 font-medium">
            {modelId}
            {retired ? <Badge tone="quiet">Retired</Badge> : null}
          </p>
          <p className="text-xs text-muted">{formatCount(contextTokens)} tokens of context</p>
          <p className="text-xs text-muted">{licence === "" ? "no license named" : licence}</p>
        </div>
      ),
    },
    {
      key: "file",
      title: "File",
      cell: ({ source, sizeBytes, pieceCount }) => (
        <div className="max-w-44 min-w-32">
          <p className="truncate" title={source}>
            {source}
          </p>
          <p className="text-xs text-muted">
            {formatBytes(sizeBytes)},{" "}
            {pieceCount === 0 ? "checked as a whole" : `${formatCount(pieceCount)} pieces`}
          </p>
        </div>
      ),
    },
    {
      key: "price",
      title: "Credits / million",
      align: "right",
      width: "w-28",
      cell: ({ price }) => (
        <span title="Prompt tokens + answer tokens">
          {formatCount(Number(price.promptMicro))} + {formatCount(Number(price.completionMicro))}
        </span>
      ),
    },
    { key: "fleet", title: "Devices", cell: (model) => <FleetProgress model={model} /> },
    {
      key: "speed",
      title: "Median speed",
      width: "w-32",
      cell: ({ fleet }) => (
        <span title="Reading the prompt / writing the answer" className="whitespace-nowrap">
          {speedWords(fleet.prefill, fleet.generate) ?? <span className="text-muted">not measured</span>}
        </span>
      ),
    },
    {
      key: "actions",
      title: "",
      align: "right",
      width: "w-48",
      cell: (model) => (
        <span className="inline-flex">
          <Button
            size="sm"
            look="quiet"
            aria-expanded={opened === model.modelId}
            aria-label={`Devices with ${model.modelId}`}
            onClick={() => onOpen(opened === model.modelId ? null : model.modelId)}
          >
            {opened === model.modelId ? "Hide" : "Devices"}
          </Button>
          <Button
            size="sm"
            look="quiet"
            aria-label={`Change ${model.modelId}`}
            onClick={() => onChange(model)}
          >
            Change
          </Button>
          {model.retired ? (
            <Button size="sm" aria-label={`Reinstate ${model.modelId}`} onClick={() => onReinstate(model)}>
              Reinstate
            </Button>
          ) : (
            <Button
              size="sm"
              look="quiet"
              aria-label={`Retire ${model.modelId}`}
              onClick={() => retire(model)}
            >
              Retire
            </Button>
          )}
        </span>
      ),
    },
  ];
}
