import type { ReactNode } from "react";
import { formatBytes, formatCount, plural } from "../../../app/format/quantity.ts";
import { formatPrice } from "../../../app/money/credits.ts";
import { keyFingerprint } from "../../../app/signatures/catalog.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { ProgressBar } from "../../ui/ProgressBar.tsx";
import { actionColumn, RowActions } from "../../ui/RowAction.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { ModelRow, RolloutRow } from "../data/rows.ts";
import { fleetShare, readyWords, restOfFleet, speedWords } from "./model-words.ts";

type Props = {
  readonly models: readonly ModelRow[] | undefined;
  /** The public key that signs the catalog. Null if it is not signed, undefined while it loads. */
  readonly signingKey: string | null | undefined;
  /** What jobs cost because of their priority. */
  readonly prices: ReactNode;
  /** The model whose devices are shown. */
  readonly opened: string | null;
  /** Null: the member may see no devices. */
  readonly devicesOf: ((model: ModelRow) => ReactNode) | null;
  /** The roll-outs in stages that are not done, and the panel of one. */
  readonly rollouts: readonly RolloutRow[];
  readonly rolloutOf: (rollout: RolloutRow, model: ModelRow) => ReactNode;
  readonly onOpen: (modelId: string | null) => void;
  /** Null for those who may not change the catalog. */
  readonly changes: CatalogChanges | null;
};

type CatalogChanges = {
  readonly onAdd: () => void;
  readonly onEdit: (model: ModelRow) => void;
  readonly onRetire: (model: ModelRow) => void;
  readonly onReinstate: (model: ModelRow) => void;
};

/** The catalog, and the state of each model in the fleet. */
export function ModelsView(props: Props): ReactNode {
  const { models, signingKey, prices, changes } = props;
  return (
    <Card
      flush
      title="Catalog"
      aside={
        changes === null ? null : (
          <Button look="primary" size="sm" onClick={changes.onAdd}>
            Add model
          </Button>
        )
      }
    >
      <Table
        label="Models"
        columns={columns(props)}
        rows={models}
        keyOf={({ modelId }) => modelId}
        detail={(model) => detailOf(props, model)}
        empty={<Empty title="No models yet">Devices download the models that you add here.</Empty>}
      />
      {prices}
      {signingKey === undefined ? null : (
        <p className="px-4 py-2 text-xs text-muted">
          {signingKey === null
            ? "The catalog is not signed, because the backend has no signing key."
            : `Signed with the key ${keyFingerprint(signingKey)}. Each device shows the same.`}
        </p>
      )}
    </Card>
  );
}

/** The model's roll-out, and its devices if they are shown. */
function detailOf({ opened, devicesOf, rollouts, rolloutOf }: Props, model: ModelRow): ReactNode {
  const rollout = rollouts.find(({ modelId }) => modelId === model.modelId);
  const isOpen = model.modelId === opened && devicesOf !== null;
  if (rollout === undefined && !isOpen) return null;
  return (
    <div className="grid gap-3">
      {rollout === undefined ? null : rolloutOf(rollout, model)}
      {isOpen ? devicesOf(model) : null}
    </div>
  );
}

function columns({ opened, devicesOf, onOpen, changes }: Props): readonly Column<ModelRow>[] {
  return [
    {
      key: "model",
      title: "Model",
      cell: ({ modelId, licence, contextTokens, retired }) => (
        <div className="min-w-36 wrap-anywhere">
          <p className="flex flex-wrap items-center gap-1.5 font-medium">
            <span className="line-clamp-2" title={modelId}>
              {modelId}
            </span>
            {retired ? <Badge tone="quiet">Retired</Badge> : null}
          </p>
          <p className="text-xs text-muted">{formatCount(contextTokens)} tokens of context</p>
          <p className="line-clamp-1 text-xs text-muted">
            {licence === "" ? "License not specified" : licence}
          </p>
        </div>
      ),
    },
    {
      key: "file",
      title: "File",
      cell: ({ source, sizeBytes, pieceCount }) => (
        <div className="max-w-36 min-w-32 2xl:max-w-96">
          <p className="truncate" title={source}>
            {source}
          </p>
          <p className="text-xs text-muted">
            {formatBytes(sizeBytes)},{" "}
            {pieceCount === 0 ? "shared only when complete" : plural(pieceCount, ["# piece", "# pieces"])}
          </p>
        </div>
      ),
    },
    {
      key: "price",
      title: "Credits per 1,000 tokens",
      align: "right",
      width: "w-28",
      cell: ({ price }) => (
        <span title="Prompt tokens + answer tokens">
          {formatPrice(price.promptMicro)} in
          <br />
          {formatPrice(price.completionMicro)} out
        </span>
      ),
    },
    { key: "fleet", title: "Devices", cell: (model) => <FleetProgress model={model} /> },
    {
      key: "speed",
      title: "Median read / write speed",
      cell: ({ fleet }) => (
        <span title="Reading the prompt / writing the answer" className="whitespace-nowrap">
          {speedWords(fleet.prefill, fleet.generate) ?? <span className="text-muted">not measured</span>}
        </span>
      ),
    },
    actionColumn("w-max", (model) => {
      const { modelId } = model;
      const isOpen = opened === modelId;
      return (
        <>
          {devicesOf === null ? null : (
            <Button
              size="sm"
              look="quiet"
              aria-expanded={isOpen}
              aria-label={`Devices with ${modelId}`}
              onClick={() => onOpen(isOpen ? null : modelId)}
            >
              Devices {isOpen ? "▾" : "▸"}
            </Button>
          )}
          {changes === null ? null : <CatalogActions model={model} {...changes} />}
        </>
      );
    }),
  ];
}

function CatalogActions({
  model,
  onEdit,
  onRetire,
  onReinstate,
}: CatalogChanges & { readonly model: ModelRow }): ReactNode {
  const { modelId, retired } = model;
  const edit = { verb: "Edit", onClick: () => onEdit(model) };
  return retired ? (
    <RowActions
      row={modelId}
      main={{ verb: "Reinstate", object: modelId, look: "plain", onClick: () => onReinstate(model) }}
      more={[edit]}
    />
  ) : (
    <RowActions row={modelId} main={null} more={[edit, { verb: "Retire", onClick: () => onRetire(model) }]} />
  );
}

/** Shows how many devices have the model and the progress of the others. */
function FleetProgress({ model }: { readonly model: ModelRow }): ReactNode {
  const ready = readyWords(model);
  if (ready === null) return <span className="text-muted">No device yet</span>;
  const rest = restOfFleet(model);
  const share = fleetShare(model);
  return (
    <div className="grid min-w-32 gap-1">
      <p>{ready}</p>
      {share === null ? null : <ProgressBar label={`${model.modelId} across the fleet`} share={share} />}
      {rest === "" ? null : <p className="text-xs text-muted">{rest}</p>}
    </div>
  );
}
