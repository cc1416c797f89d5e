import { Fragment, type ReactNode, useState } from "react";
import { canaryLimits } from "../../../app/trust/canaries.ts";
import { Badge } from "../../ui/Badge.tsx";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import { TextArea } from "../../ui/controls/TextArea.tsx";
import { Empty } from "../../ui/Empty.tsx";
import { LoadMore } from "../../ui/LoadMore.tsx";
import { RelativeTime } from "../../ui/RelativeTime.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import { type Column, Table } from "../../ui/Table.tsx";
import type { CanaryPool, CanaryRow } from "../data/rows.ts";
import { canarySentence, canaryWords } from "./check-words.ts";
import { DeviceLink } from "./DeviceLink.tsx";

export type More = { readonly onMore: (() => void) | null; readonly loading: boolean };

type Props = {
  /** Each part is undefined while it loads. */
  readonly pool: CanaryPool | undefined;
  readonly rows: readonly CanaryRow[] | undefined;
  readonly more: More;
  readonly onSave: (prompts: readonly string[]) => void;
};

/** Requests that the organization asks of two devices by itself: their results, and its own prompts. */
export function Canaries({ pool, rows, more, onSave }: Props): ReactNode {
  return (
    <Card flush title="Canaries">
      <div className="grid gap-3 px-4 py-3">
        <p className="max-w-prose text-muted">
          Of some devices too little is known, as no check can read their answers. If you act on checks,
          Gleaner asks such a device a request of its own now and then, and compares the answer with that of
          another device.
        </p>
        {pool === undefined ? <SkeletonRows rows={2} /> : <p>{canarySentence(pool.counts)}</p>}
        {pool === undefined || pool.prompts === null ? null : (
          <Prompts key={pool.prompts.join("\n")} prompts={pool.prompts} onSave={onSave} />
        )}
      </div>
      <Table
        label="Canaries"
        columns={columns}
        rows={rows}
        keyOf={({ jobId }) => jobId}
        empty={
          <Empty title="No canary was asked yet">
            They are asked only if you act on checks, and only of devices whose answers no check can read.
          </Empty>
        }
      />
      <LoadMore {...more} />
    </Card>
  );
}

type PromptsProps = { readonly prompts: readonly string[]; readonly onSave: Props["onSave"] };

function Prompts({ prompts, onSave }: PromptsProps): ReactNode {
  const before = prompts.join("\n");
  const [text, setText] = useState(before);
  const lines = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  const error =
    lines.length > canaryLimits.prompts
      ? "These are too many prompts: at most 20."
      : lines.some((line) => line.length > canaryLimits.promptChars)
        ? "A prompt is too long: at most 500 characters."
        : null;
  return (
    <Form onSubmit={() => onSave(lines)}>
      <TextArea
        label="Your own prompts"
        hint="One a line, at most 20. The built-in ones are public, so a changed device can know them. Your own test better, and replace them. {name}, {city} and {number} are filled in anew each time. Devices read them, so write nothing secret."
        rows={4}
        value={text}
        error={error}
        onChange={(event) => setText(event.target.value)}
      />
      <div>
        <Button type="submit" disabled={error !== null || lines.join("\n") === before}>
          Save prompts
        </Button>
      </div>
    </Form>
  );
}

const columns: readonly Column<CanaryRow>[] = [
  { key: "device", title: "Tested", cell: ({ device }) => <DeviceLink device={device} /> },
  { key: "model", title: "Model", cell: ({ modelId }) => <span className="wrap-anywhere">{modelId}</span> },
  {
    key: "others",
    title: "Compared with",
    cell: ({ others }) =>
      others.map((device, index) => (
        <Fragment key={device.deviceId}>
          {index === 0 ? null : ", "}
          <DeviceLink device={device} />
        </Fragment>
      )),
  },
  {
    key: "result",
    title: "Result",
    width: "w-32",
    cell: ({ state }) => {
      const { tone, words } = canaryWords(state);
      return <Badge tone={tone}>{words}</Badge>;
    },
  },
  { key: "at", title: "When", width: "w-28", cell: ({ at }) => <RelativeTime at={at} /> },
];
