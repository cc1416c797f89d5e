import { type ReactNode, useMemo, useState } from "react";
import type { ComfortHour } from "../../../../app/comfort/hour.ts";
import { ruleWords } from "../../../../app/devices/rule-words.ts";
import { platformWords } from "../../../../app/format/platform.ts";
import { formatCount, formatRate, plural } from "../../../../app/format/quantity.ts";
import { formatDay } from "../../../../app/format/time.ts";
import { formatCredits } from "../../../../app/money/credits.ts";
import { Badge } from "../../../ui/Badge.tsx";
import { Card } from "../../../ui/Card.tsx";
import { ChartCard } from "../../../ui/charts/ChartCard.tsx";
import { useNow } from "../../../ui/clock.ts";
import { Empty } from "../../../ui/Empty.tsx";
import { LoadMore } from "../../../ui/LoadMore.tsx";
import { RelativeTime } from "../../../ui/RelativeTime.tsx";
import { RowAction } from "../../../ui/RowAction.tsx";
import { SkeletonRows } from "../../../ui/Skeleton.tsx";
import { Stat } from "../../../ui/Stat.tsx";
import { modelWords } from "../../../ui/status-words.ts";
import { DeviceComfort } from "../../comfort/DeviceComfort.tsx";
import type {
  AttemptOutcomes,
  DeviceAttempt,
  DeviceRatingCounts,
  DeviceRow,
  DeviceSpan,
} from "../../data/rows.ts";
import { OwnerWords } from "../../owners/OwnerWords.tsx";
import { DeviceRatings } from "../../ratings/DeviceRatings.tsx";
import { hrefOf } from "../../shell/route.ts";
import { SubPageHead } from "../../shell/SubPageHead.tsx";
import { describeDevice, rolledBackSentence } from "../describe-device.ts";
import { deviceSpeeds, originWords } from "../device-details.ts";
import { Labels, offerOf } from "../table/cells.tsx";
import { type DeviceActions, DeviceButtons, RetireDialog } from "../table/DeviceButtons.tsx";
import { DeviceAttempts } from "./DeviceAttempts.tsx";
import { DeviceFacts } from "./DeviceFacts.tsx";
import { WeekTimeline } from "./WeekTimeline.tsx";

export type DayEarned = { readonly startAt: number; readonly micro: bigint };

type Props = {
  /** Each part is undefined while it loads. */
  readonly device: DeviceRow | undefined;
  readonly journal: readonly DeviceSpan[] | undefined;
  readonly outcomes: AttemptOutcomes | undefined;
  readonly comfort?: readonly ComfortHour[] | undefined;
  readonly ratings?: DeviceRatingCounts | undefined;
  readonly attempts: readonly DeviceAttempt[] | undefined;
  /** Empty for members who see no money. */
  readonly earned: readonly DayEarned[] | undefined;
  /** How it stands with its models. */
  readonly standing?: ReactNode;
  readonly linksJobs: boolean;
  readonly actions: DeviceActions | undefined;
  readonly onMore: (() => void) | null;
  readonly loadingMore: boolean;
};

export function DeviceView(props: Props): ReactNode {
  const { device, journal, outcomes, comfort, ratings, attempts, earned, standing, linksJobs } = props;
  const { actions, onMore, loadingMore } = props;
  const now = useNow();
  const [retiring, setRetiring] = useState(false);
  return (
    <div className="grid gap-4">
      <SubPageHead
        back={{ href: hrefOf("devices"), words: "All devices" }}
        title={device?.name}
        actions={
          device === undefined || actions === undefined ? null : (
            <div className="-mx-2.5 flex flex-wrap gap-1">
              <DeviceButtons device={device} actions={actions} onRetire={() => setRetiring(true)} />
            </div>
          )
        }
      >
        {device === undefined ? null : <State device={device} now={now} />}
      </SubPageHead>
      <Card title="About this device">
        {device === undefined ? (
          <SkeletonRows />
        ) : (
          <About device={device} now={now} onRelease={actions?.change?.release} />
        )}
      </Card>
      <Card title="The last seven days">
        {journal === undefined ? <SkeletonRows rows={7} /> : <WeekTimeline spans={journal} now={now} />}
      </Card>
      <div className="grid items-start gap-4 2xl:grid-cols-2">
        <Card title="Reliability">
          {outcomes === undefined ? <SkeletonRows rows={2} /> : <Reliability outcomes={outcomes} />}
        </Card>
        <Card title="Comfort">
          <DeviceComfort hours={comfort} />
        </Card>
        <Card title="Checks of its answers">{standing}</Card>
        <Card title="Ratings">
          <DeviceRatings ratings={ratings} />
        </Card>
        {device === undefined ? null : <Models device={device} />}
      </div>
      {earned?.length === 0 ? null : <Earned days={earned} />}
      <Card flush title="Last jobs">
        <DeviceAttempts attempts={attempts} linksJobs={linksJobs} />
        <LoadMore onMore={onMore} loading={loadingMore} />
      </Card>
      {retiring && device !== undefined ? (
        <RetireDialog
          device={device}
          onConfirm={() => actions?.change?.retire(device)}
          onClose={() => setRetiring(false)}
        />
      ) : null}
    </div>
  );
}

type StateProps = { readonly device: DeviceRow; readonly now: number };

function State({ device, now }: StateProps): ReactNode {
  const { tone, short } = describeDevice(device, now);
  return (
    <>
      <Badge tone={tone} dot busy={device.online && device.jobsNow > 0}>
        {short}
      </Badge>
      <span className="text-xs text-muted">
        since <RelativeTime at={device.online ? device.since : device.lastChangeAt} />
      </span>
    </>
  );
}

type AboutProps = StateProps & Pick<PlacementProps, "onRelease">;

function About({ device, now, onRelease }: AboutProps): ReactNode {
  const rolledBack = rolledBackSentence(device);
  const rows: readonly (readonly [string, ReactNode])[] = [
    ["System", platformWords(device.platform)],
    ["Version", <Version device={device} />],
    ["Offers", offerOf(device.capabilities)],
    ["Jobs now", formatCount(device.jobsNow)],
    ["Owner", <OwnerWords owner={device.owner} />],
    ["Groups, tags and data classes", <Placement device={device} onRelease={onRelease} />],
    [
      "Enrolled",
      <>
        <RelativeTime at={device.enrolledAt} />
        {originWords(device) === "" ? "" : `. ${originWords(device)}`}
      </>,
    ],
    ...(device.earnedMicro === null ? [] : [["Earned in all", formatCredits(device.earnedMicro)] as const]),
  ];
  return (
    <>
      <p>{describeDevice(device, now).sentence}</p>
      {rolledBack === null ? null : <p className="mt-2">{rolledBack}</p>}
      <dl className="mt-3 grid grid-cols-2 gap-x-6 sm:grid-cols-[repeat(auto-fill,minmax(12rem,1fr))] gap-y-2">
        {rows.map(([term, value]) => (
          <div key={term} className="min-w-0">
            <dt className="text-xs text-muted">{term}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
      <DeviceFacts device={device} />
    </>
  );
}

/** The device's version, and since when it is asked for another. */
function Version({ device: { version, askedVersion } }: { readonly device: DeviceRow }): ReactNode {
  return (
    <>
      {version ?? "not known yet"}
      {askedVersion === null ? null : (
        <span className="block text-xs text-muted">
          Asked for {askedVersion.version} <RelativeTime at={askedVersion.at} />
        </span>
      )}
    </>
  );
}

type PlacementProps = {
  readonly device: DeviceRow;
  /** Undefined for those who may not change devices. */
  readonly onRelease: ((device: DeviceRow) => void) | undefined;
};

/** The groups of the device and how it got there, its tags and its data classes. */
function Placement({ device, onRelease }: PlacementProps): ReactNode {
  const { name, groups, tags, dataClasses, placedBy } = device;
  return (
    <>
      {groups.length + tags.length + dataClasses.length === 0 ? "None" : <Labels device={device} />}
      {placedBy === "hand" ? (
        <span className="block text-xs text-muted">
          Placed by hand{" "}
          {onRelease === undefined ? null : (
            <RowAction
              verb="Leave it to the rules"
              object={`for ${name}`}
              onClick={() => onRelease(device)}
            />
          )}
        </span>
      ) : null}
      {placedBy === null || placedBy === "hand" ? null : (
        <span className="block text-xs text-muted">
          By the rule: {ruleWords(placedBy.filter, placedBy.owner?.name ?? null)}
        </span>
      )}
    </>
  );
}

function Reliability({ outcomes }: { readonly outcomes: AttemptOutcomes }): ReactNode {
  const { of, succeeded, failed, lost, released, other } = outcomes;
  if (of === 0) return <p className="text-muted">This device has not ended any job yet.</p>;
  const judged = succeeded + failed + lost;
  return (
    <>
      <dl className="grid grid-cols-3 gap-x-4 gap-y-2 sm:grid-cols-6">
        <Stat label="Success" value={judged === 0 ? "–" : formatRate(succeeded / judged)} />
        <Stat label="Succeeded" value={formatCount(succeeded)} />
        <Stat label="Failed" value={formatCount(failed)} />
        <Stat label="Lost" value={formatCount(lost)} />
        <Stat label="Given back" value={formatCount(released)} />
        <Stat label="Other" value={formatCount(other)} />
      </dl>
      <p className="mt-1 text-xs text-muted">
        Of its last {plural(of, ["# attempt", "# attempts"])}. Success leaves out jobs that were given back,
        canceled or done by another device.
      </p>
    </>
  );
}

function Models({ device }: { readonly device: DeviceRow }): ReactNode {
  const speeds = new Map(deviceSpeeds(device).map(({ modelId, words }) => [modelId, words]));
  return (
    <Card title="Models, and their read / write speeds">
      {device.models.length === 0 ? (
        <p className="text-muted">This device has no models yet.</p>
      ) : (
        <ul className="grid gap-1">
          {device.models.map(({ modelId, state }) => (
            <li key={modelId} className="flex flex-wrap justify-between gap-x-4">
              <span className="wrap-anywhere">{modelId}</span>
              <span className="text-muted">
                {(state === "ready" ? speeds.get(modelId) : undefined) ?? modelWords[state].words}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const toCredits = (value: number): string => formatCredits(BigInt(Math.round(value)));

function Earned({ days }: { readonly days: readonly DayEarned[] | undefined }): ReactNode {
  const { times, lines } = useMemo(
    () => ({
      times: days?.map(({ startAt }) => startAt),
      lines: days && [
        { label: "Earned", color: "accent" as const, values: days.map(({ micro }) => Number(micro)) },
      ],
    }),
    [days],
  );
  const title = "Earned per day";
  if (days?.every(({ micro }) => micro === 0n) === true)
    return (
      <Card title={title}>
        <Empty title="Nothing earned this week">Pay for answers appears here.</Empty>
      </Card>
    );
  return <ChartCard title={title} times={times} lines={lines} format={toCredits} formatTime={formatDay} />;
}
