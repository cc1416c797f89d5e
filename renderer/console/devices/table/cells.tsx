import type { ReactNode } from "react";
import { reportedTags } from "../../../../app/devices/filter.ts";
import { limitWords } from "../../../../app/devices/limits.ts";
import { platformWords } from "../../../../app/format/platform.ts";
import { formatMebibytes, plural } from "../../../../app/format/quantity.ts";
import { Badge } from "../../../ui/Badge.tsx";
import { Tooltip } from "../../../ui/overlays/Tooltip.tsx";
import { RelativeTime } from "../../../ui/RelativeTime.tsx";
import type { DeviceRow } from "../../data/rows.ts";
import { hrefOf } from "../../shell/route.ts";
import { describeDevice, versionWords } from "../describe-device.ts";
import { deviceSpeeds, originWords } from "../device-details.ts";
import { stateTone, stateWords } from "../state-words.ts";
import type { DeviceLine } from "../useDeviceLines.ts";
import type { ColumnKey } from "./column-keys.ts";

/** Lets rows be chosen. */
export type Selecting = {
  readonly isSelected: (deviceId: string) => boolean;
  readonly onSelect: (deviceId: string, selected: boolean) => void;
};

type NameProps = DeviceLine & {
  readonly shown: readonly ColumnKey[];
  readonly selecting: Selecting | undefined;
};

/** The device's name. Below it are the facts that have no column of their own. */
export function NameCell({ listed, live, shown, selecting }: NameProps): ReactNode {
  const ask = shown.includes("version") ? "" : versionWords("", live);
  const facts = [
    ...(shown.includes("system") ? [] : [platformWords(live?.platform ?? listed.platform)]),
    ...(shown.includes("version") || listed.version === "" ? [] : [listed.version]),
  ];
  const owner = shown.includes("owner") ? null : (live?.owner ?? null);
  return (
    <div className="flex min-w-30 gap-2.5 wrap-anywhere">
      {selecting === undefined ? null : (
        <input
          type="checkbox"
          aria-label={`Select ${listed.name}`}
          checked={selecting.isSelected(listed.deviceId)}
          className="mt-0.5 block size-4 shrink-0 accent-accent"
          onChange={({ target }) => selecting.onSelect(listed.deviceId, target.checked)}
        />
      )}
      <div className="min-w-0">
        <a
          href={hrefOf("devices", listed.deviceId)}
          className="line-clamp-2 font-medium hover:underline"
          title={listed.name}
        >
          {listed.name}
        </a>
        {facts.length === 0 ? null : <p className="line-clamp-2 text-xs text-muted">{facts.join(", ")}</p>}
        {ask === "" ? null : <p className="text-xs text-muted">{ask}</p>}
        {owner === null ? null : <p className="line-clamp-1 text-xs text-muted">Of {owner.name}</p>}
      </div>
    </div>
  );
}

type ActivityProps = DeviceLine & { readonly now: number; readonly compact: boolean };

/** The device's activity, with the reason if it needs somebody. */
export function ActivityCell({ listed, live, now, compact }: ActivityProps): ReactNode {
  if (live === undefined)
    return (
      <Badge tone={stateTone[listed.state]} dot>
        {stateWords[listed.state]}
      </Badge>
    );
  const words = describeDevice(live, now);
  return (
    <div className="min-w-36">
      <Tooltip text={words.sentence}>
        <span tabIndex={0} className="rounded-full">
          <Badge tone={words.tone} dot busy={live.online && live.jobsNow > 0}>
            {words.short}
          </Badge>
        </span>
      </Tooltip>
      {compact || (live.status !== "paused" && live.status !== "outdated") ? null : (
        <p className="mt-1 max-w-56 text-xs text-muted 2xl:max-w-96">{words.sentence}</p>
      )}
    </div>
  );
}

/** The device's groups, tags and data classes. */
export function Labels({ device: { groups, tags, dataClasses } }: { readonly device: DeviceRow }): ReactNode {
  if (groups.length + tags.length + dataClasses.length === 0) return null;
  return (
    <div className="mt-1 flex max-w-24 flex-wrap gap-1 2xl:max-w-72">
      {[...new Set([...groups, ...tags])].map((group) => (
        <Badge key={`group ${group}`} tone="quiet">
          {group}
        </Badge>
      ))}
      {dataClasses.map((dataClass) => (
        <Badge key={`data ${dataClass}`} tone="hold">
          {dataClass}
        </Badge>
      ))}
    </div>
  );
}

type Able = DeviceRow["capabilities"];

/** "16.8 GB, GPU with 8.1 GB free, 2 jobs at once". */
export function offerOf(able: Able): string {
  if (able === null) return "nothing yet";
  const memory = able.memoryMb === undefined ? [] : [formatMebibytes(able.memoryMb)];
  const atOnce =
    able.concurrency === undefined ? [] : [plural(able.concurrency, ["# job at once", "# jobs at once"])];
  return [...memory, ...gpuOf(able), ...atOnce].join(", ");
}

function gpuOf(able: NonNullable<Able>): readonly string[] {
  const vram = able.vramMb ?? 0;
  if (vram > 0) return [`GPU with ${formatMebibytes(vram)} free`];
  return able.gpu === true ? ["GPU"] : [];
}

/** The kind of GPU that models run on, and its free memory. */
export function gpuWords(able: Able): string {
  if (able === null) return "–";
  const { gpus } = reportedTags(able.tags ?? []);
  const free = (able.vramMb ?? 0) > 0 ? [`${formatMebibytes(able.vramMb ?? 0)} free`] : [];
  return [...gpus, ...free].join(", ") || (able.gpu === true ? "yes" : "–");
}

export function Offer({ device }: { readonly device: DeviceRow }): ReactNode {
  const speeds = deviceSpeeds(device);
  return (
    <div className="min-w-28">
      <p>{offerOf(device.capabilities)}</p>
      {speeds.length > 0 ? (
        speeds.map(({ modelId, words }) => (
          // In a narrow column the speed goes below the model, as a whole.
          <p key={modelId} className="text-xs text-muted">
            <span className="inline-block max-w-full wrap-anywhere">{modelId}</span>{" "}
            <span className="inline-block" title="Reading the prompt / writing the answer">
              {words}
            </span>
          </p>
        ))
      ) : (
        <p className="max-w-52 truncate text-xs text-muted">
          {device.capabilities?.models?.join(", ") || "no model yet"}
        </p>
      )}
      {device.limits === null ? null : (
        <p className="max-w-64 text-xs text-hold wrap-anywhere">
          Limited: {limitWords(device.limits).join("; ")}
        </p>
      )}
    </div>
  );
}

export function Enrolled({ listed, live }: DeviceLine): ReactNode {
  return (
    <div className="max-w-44">
      <RelativeTime at={listed.enrolledAt} />
      {live === undefined ? null : (
        <p className="line-clamp-2 text-xs text-muted" title={originWords(live)}>
          {originWords(live)}
        </p>
      )}
    </div>
  );
}
