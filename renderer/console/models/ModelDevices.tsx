import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Badge } from "../../ui/Badge.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { ModelDeviceRow, ModelRow } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";
import { modelStateWords, progressOf, speedWords, whyWords } from "./model-words.ts";

/** Subscribes to the devices only while they are visible. */
export function ModelDevices({ model }: { readonly model: ModelRow }): ReactNode {
  const session = useSession();
  const devices = useQuery(api.adminModels.devices, { session, modelId: model.modelId });
  return devices === undefined ? (
    <SkeletonRows rows={2} />
  ) : (
    <ModelDevicesView model={model} devices={devices} />
  );
}

type Props = { readonly model: ModelRow; readonly devices: readonly ModelDeviceRow[] };

/** Shows the model's state on each device. Devices without the model come first. */
export function ModelDevicesView({ model, devices }: Props): ReactNode {
  if (devices.length === 0) return <p className="text-muted">No device has reported this model yet.</p>;
  return (
    <Table
      label={`Devices with ${model.modelId}`}
      columns={columns(model.sizeBytes)}
      rows={devices}
      keyOf={({ deviceId }) => deviceId}
    />
  );
}

function columns(sizeBytes: number): readonly Column<ModelDeviceRow>[] {
  return [
    { key: "name", title: "Device", cell: ({ name }) => <span className="font-medium">{name}</span> },
    {
      key: "state",
      title: "State",
      cell: ({ model: { state, why } }) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          <Badge tone={modelStateWords[state].tone} dot busy={state === "downloading"}>
            {modelStateWords[state].words}
          </Badge>
          {why === undefined ? null : <span className="text-xs text-muted">{whyWords(why)}</span>}
        </span>
      ),
    },
    {
      key: "progress",
      title: "Downloaded",
      width: "w-44",
      cell: ({ model }) => progressOf(model, sizeBytes) ?? "",
    },
    {
      key: "speed",
      title: "Speed",
      width: "w-44",
      cell: ({ model: { speed } }) =>
        speed === undefined ? (
          <span className="text-muted">not measured</span>
        ) : (
          `${speedWords(speed.prefill, speed.generate) ?? ""}, ${speed.backend}`
        ),
    },
    { key: "at", title: "Said", width: "w-24", cell: ({ reportedAt }) => <RelativeTime at={reportedAt} /> },
  ];
}
