import { type ComponentProps, type ReactNode, useState } from "react";
import { formatCredits } from "../../../app/money/credits.ts";
import { type CheckMode, checkModes, checkModeWords } from "../../../app/trust/check-mode.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { CaseRow, CheckRow } from "../data/rows.ts";
import { hrefOf } from "../shell/route.ts";
import { Canaries, type More } from "./Canaries.tsx";
import { caseWords, checkWords, evidenceOf, modeSentence, sidesSentence, voiceWords } from "./check-words.ts";
import { DeviceLink } from "./DeviceLink.tsx";

type Props = {
  /** Each part is undefined while it loads. */
  readonly mode: CheckMode | undefined;
  /** Null for members who may only look. */
  readonly onMode: ((mode: CheckMode) => void) | null;
  /** How many sides the devices in service have: app/trust/sides.ts. Null: nobody knows. */
  readonly sides: number | null | undefined;
  readonly cases: readonly CaseRow[] | undefined;
  readonly moreCases: More;
  readonly checks: readonly CheckRow[] | undefined;
  readonly moreChecks: More;
  readonly linksJobs: boolean;
  readonly canaries: ComponentProps<typeof Canaries>;
};

/** The checks of answers: what follows from them, the cases with their evidence, and the last checks. */
export function ChecksView(props: Props): ReactNode {
  const { mode, onMode, sides, cases, moreCases, checks, moreChecks, linksJobs, canaries } = props;
  const tooFew = mode === undefined || sides == null ? null : sidesSentence(mode, sides);
  return (
    <div className="grid gap-4">
      <Card title="After a check">
        <p className="mb-3 text-muted">
          Some answers are read again by another device with the same model. It tells whether the model would
          have written them.
        </p>
        {mode === undefined ? <SkeletonRows rows={2} /> : <Mode key={mode} mode={mode} onMode={onMode} />}
        {tooFew === null ? null : <p className="mt-3 max-w-prose text-hold">{tooFew}</p>}
      </Card>
      <Card flush title="Cases">
        {cases === undefined ? (
          <SkeletonRows />
        ) : cases.length === 0 ? (
          <Empty title="No answer is in doubt">
            If an answer does not fit its model, a third device is asked, and the case is here.
          </Empty>
        ) : (
          <ul aria-label="Cases" className="divide-y divide-line">
            {cases.map((row) => (
              <Case key={row.caseId} row={row} linksJobs={linksJobs} />
            ))}
          </ul>
        )}
        <LoadMore {...moreCases} />
      </Card>
      <Card flush title="Last checks">
        <Table
          label="Last checks"
          columns={columns}
          rows={checks}
          keyOf={({ replayId }) => replayId}
          empty={
            <Empty title="No answer was checked yet">
              A device’s first answers are checked within minutes, if another device has the model.
            </Empty>
          }
        />
        <LoadMore {...moreChecks} />
      </Card>
      <Canaries {...canaries} />
    </div>
  );
}

type ModeProps = { readonly mode: CheckMode; readonly onMode: Props["onMode"] };

function Mode({ mode, onMode }: ModeProps): ReactNode {
  const [chosen, setChosen] = useState(mode);
  const label = "Checks of answers";
  if (onMode === null) {
    return (
      <p>
        {label}: {checkModeWords[mode]}. {modeSentence(mode)}
      </p>
    );
  }
  const options = checkModes.map((value) => ({ value, label: checkModeWords[value] }));
  return (
    <>
      <Form className="flex flex-wrap items-end gap-3" onSubmit={() => onMode(chosen)}>
        <Select
          label={label}
          value={chosen}
          options={options}
          onChange={(value) => setChosen(checkModes.find((each) => each === value) ?? mode)}
        />
        <Button type="submit" disabled={chosen === mode}>
          Save
        </Button>
      </Form>
      <p className="mt-2 max-w-prose">{modeSentence(chosen)}</p>
    </>
  );
}

function Case({ row, linksJobs }: { readonly row: CaseRow; readonly linksJobs: boolean }): ReactNode {
  const { device, modelId, jobId, isSeries, openedAt, takenMicro, voices } = row;
  const { tone, words } = caseWords(row);
  return (
    <li className="grid gap-1.5 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <DeviceLink device={device} />
        <span className="text-muted wrap-anywhere">{modelId}</span>
        <Badge tone={tone}>{words}</Badge>
        <span className="text-xs text-muted">
          <RelativeTime at={openedAt} />
        </span>
        {linksJobs ? (
          <a href={hrefOf("jobs", jobId)} className="text-accent hover:underline">
            Job
          </a>
        ) : null}
      </div>
      {isSeries ? (
        <p className="text-muted">
          No single answer is far off, but all of them together are odder than honest ones.
        </p>
      ) : null}
      <ul aria-label="Evidence" className="grid gap-1">
        {voices.map((voice) => {
          const said = voiceWords(voice);
          return (
            <li key={voice.checker.deviceId} className="flex flex-wrap items-center gap-x-2">
              <DeviceLink device={voice.checker} />
              <Badge tone={said.tone}>{said.words}</Badge>
              <span className="text-muted">{evidenceOf(voice)}</span>
            </li>
          );
        })}
      </ul>
      {takenMicro === 0n ? null : <p>{formatCredits(takenMicro)} went back to the requester.</p>}
    </li>
  );
}

const columns: readonly Column<CheckRow>[] = [
  { key: "device", title: "Answered by", cell: ({ device }) => <DeviceLink device={device} /> },
  { key: "model", title: "Model", cell: ({ modelId }) => <span className="wrap-anywhere">{modelId}</span> },
  {
    key: "checker",
    title: "Checked by",
    cell: ({ voice }) => (voice === null ? "–" : <DeviceLink device={voice.checker} />),
  },
  {
    key: "result",
    title: "Result",
    width: "w-32",
    cell: (row) => {
      const { tone, words } = checkWords(row);
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  {
    key: "evidence",
    title: "Evidence",
    cell: ({ voice }) => <span className="text-muted">{voice === null ? "–" : evidenceOf(voice)}</span>,
  },
  { key: "at", title: "When", width: "w-28", cell: ({ at }) => <RelativeTime at={at} /> },
];
