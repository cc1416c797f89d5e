import { useQuery } from "convex/react";
import type { ReactNode } from "react";
import { api } from "../../../convex/_generated/api.js";
import { Badge } from "../../ui/Badge.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { modelWords } from "../../ui/status-words.ts";
import { type Column, Table } from "../../ui/Table.tsx";
import type { ModelDeviceRow, ModelRow } from "../data/rows.ts";
import { useSession } from "../data/session-context.ts";
import { hrefOf } from "../shell/route.ts";
import { progressOf, speedWords, whyWords } from "./model-words.ts";

/** Subscribes to the devices only while they are visible. */
export function ModelDevices({ model }: { readonly model: ModelRow }): ReactNode {
  const session = useSession();
  const devices = useQuery(api.console.models.devices, { session, modelId: model.modelId });
  return <ModelDevicesView model={model} devices={devices} />;
}

type Props = {
  readonly model: ModelRow;
  readonly devices: readonly ModelDeviceRow[] | undefined;
};

/** Shows the model's state on each device. Devices without the model come first. */
export function ModelDevicesView({ model, devices }: Props): ReactNode {
  return (
    <>
      <Table
        label={`Devices with ${model.modelId}`}
        columns={columns(model.sizeBytes)}
        rows={devices}
        keyOf={({ deviceId }) => deviceId}
        empty={<p className="text-muted">No device has reported this model yet.</p>}
      />
      {model.fleet.of === null ? null : (
        <p className="text-xs text-muted">
          These are the first 300 devices that were found, at most.{" "}
          <a
            href={hrefOf("devices", undefined, { model: model.modelId })}
            className="font-medium text-accent hover:underline"
          >
            Show all devices that are ready with it
          </a>
        </p>
      )}
    </>
  );
}

function columns(sizeBytes: number): readonly Column<ModelDeviceRow>[] {
  return [
    {
      key: "name",
      title: "Device",
      cell: ({ name }) => <p className="min-w-36 font-medium wrap-anywhere">{name}</p>,
    },
    {
      key: "status",
      title: "Status",
      cell: ({ model: { state, why } }) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          <Badge tone={modelWords[state].tone} dot busy={state === "downloading"}>
            {modelWords[state].words}
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
      title: "Read / write speed",
      width: "w-44",
      cell: ({ model: { speed } }) =>
        speed === undefined ? (
          <span className="text-muted">not measured</span>
        ) : (
          `${speedWords(speed.prefill, speed.generate) ?? ""}, ${speed.backend}`
        ),
    },
    {
      key: "at",
      title: "Reported",
      width: "w-24",
      cell: ({ reportedAt }) => <RelativeTime at={reportedAt} />,
    },
  ];
}
