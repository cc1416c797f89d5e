import { usePaginatedQuery } from "convex-helpers/react";
import type { ReactNode } from "react";
import { pauseChoices } from "../../../app/contract/pause-choices.ts";
import { platformWords } from "../../../app/format/platform.ts";
import { plural } from "../../../app/format/quantity.ts";
import { formatCredits } from "../../../app/money/credits.ts";
import { api } from "../../../convex/_generated/api.js";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { Menu } from "../../ui/controls/Menu.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { Stat } from "../../ui/Stat.tsx";
import type { DeviceRow } from "../data/rows.ts";
import { useAct, useSession } from "../data/session-context.ts";
import { hrefOf } from "../shell/route.ts";
import { describeDevice } from "./describe-device.ts";
import { pauseEnd } from "./PauseDialog.tsx";
import { type DeviceLine, useDeviceLines } from "./useDeviceLines.ts";

const pageSize = 20;

/** The devices of a member, for a phone too: why each one donates or not, what it earned, and a pause. */
export function OwnDevices(): ReactNode {
  const session = useSession();
  const pause = useAct(api.console.devices.pause);
  const endPause = useAct(api.console.devices.endPause);
  const { results, status, loadMore } = usePaginatedQuery(
    api.console.devices.list,
    { session },
    { initialNumItems: pageSize },
  );
  const lines = useDeviceLines(status === "LoadingFirstPage" ? undefined : results);
  return (
    <>
      <OwnDevicesView
        devices={lines}
        onPause={({ deviceId, name }, until) => void pause({ deviceId, until }, `${name} was paused.`)}
        onResume={({ deviceId, name }) => void endPause({ deviceId }, `${name} may donate again.`)}
      />
      <LoadMore
        onMore={status === "CanLoadMore" ? () => loadMore(pageSize) : null}
        loading={status === "LoadingMore"}
      />
    </>
  );
}

type Props = {
  readonly devices: readonly DeviceLine[] | undefined;
  readonly onPause: (device: DeviceRow, until: number | null) => void;
  readonly onResume: (device: DeviceRow) => void;
};

export function OwnDevicesView({ devices, onPause, onResume }: Props): ReactNode {
  if (devices === undefined)
    return (
      <Card flush>
        <SkeletonRows />
      </Card>
    );
  if (devices.length === 0)
    return (
      <Card>
        <Empty title="No device is yours yet">
          Ask an administrator to hand your computer over to you. It then appears here.
        </Empty>
      </Card>
    );
  return (
    <ul className="grid items-start gap-3 lg:grid-cols-2">
      {devices.map(({ listed, live }) => (
        <li key={listed.deviceId}>
          <Card className="h-full">
            {live === undefined ? (
              <SkeletonRows rows={3} />
            ) : (
              <OwnDevice device={live} onPause={onPause} onResume={onResume} />
            )}
          </Card>
        </li>
      ))}
    </ul>
  );
}

type OwnProps = Omit<Props, "devices"> & { readonly device: DeviceRow };

function OwnDevice({ device, onPause, onResume }: OwnProps): ReactNode {
  const words = describeDevice(device, useNow());
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
        <div className="min-w-0">
          <h2 className="text-base font-semibold wrap-anywhere">
            <a href={hrefOf("devices", device.deviceId)} className="hover:underline">
              {device.name}
            </a>
          </h2>
          <p className="text-xs text-muted">{platformWords(device.platform)}</p>
        </div>
        <Badge tone={words.tone} dot busy={device.online && device.jobsNow > 0}>
          {words.short}
        </Badge>
      </div>
      <p className="max-w-prose">{words.sentence}</p>
      <dl className="grid grid-cols-2 gap-x-4">
        <Stat label="Earned" value={device.earnedMicro === null ? "–" : formatCredits(device.earnedMicro)} />
        <Stat
          label="Works on"
          value={device.jobsNow === 0 ? "no job" : plural(device.jobsNow, ["# job", "# jobs"])}
        />
      </dl>
      <PauseButton device={device} onPause={onPause} onResume={onResume} />
    </div>
  );
}

function PauseButton({ device, onPause, onResume }: OwnProps): ReactNode {
  const { requestedPause, status, name } = device;
  if (status === "retired" || status === "pending") return null;
  if (requestedPause?.ofOrganization === true)
    return <p className="text-muted">Your organization paused it. An administrator can resume it.</p>;
  if (requestedPause !== null)
    return (
      <Button look="primary" aria-label={`Resume ${name}`} onClick={() => onResume(device)}>
        Resume
      </Button>
    );
  return (
    <Menu
      label={`How long to pause ${name}`}
      trigger={<Button aria-label={`Pause ${name}`}>Pause…</Button>}
      entries={pauseChoices.map(({ label, length }) => ({
        label,
        onSelect: () => onPause(device, pauseEnd(length, Date.now())),
      }))}
    />
  );
}
