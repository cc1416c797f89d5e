import type { ReactNode } from "react";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { cx } from "../../ui/cx.ts";
import type { JobRow, Measures } from "../data/rows.ts";
import { sayServerSentence } from "../data/server-sentences.ts";
import { waitWords } from "../jobs/job-words.ts";
import { nothingYet, type Progress } from "./ask-api.ts";
import { measureFacts } from "./measure-words.ts";
import type { Turn } from "./playground-request.ts";

/** One model's answers. */
export type Side = {
  readonly model: string;
  /** The conversation before the running or last call. */
  readonly turns: readonly Turn[];
  /** The running or last call; null before the first. */
  readonly asked: { readonly text: string; readonly progress: Progress } | null;
};

type Props = {
  readonly side: Side;
  readonly measures: Measures | null;
  /** Why the call waits; null if that is not known, or it does not. */
  readonly wait: JobRow["wait"];
  readonly onStop: () => void;
};

/** A model's conversation, its running answer, and how that came about. */
export function AnswerCard({ side: { model, turns, asked }, measures, wait, onStop }: Props): ReactNode {
  const running = asked !== null && asked.progress.end === null;
  return (
    <Card
      title={model}
      aside={
        running ? (
          <Button size="sm" aria-label={`Stop ${model}`} onClick={onStop}>
            Stop
          </Button>
        ) : null
      }
    >
      <div
        role="log"
        aria-label={`Answers of ${model}`}
        aria-busy={running}
        className="grid min-h-40 content-start gap-3"
      >
        {turns.map(({ role, content }, place) => (
          <Bubble key={place} own={role === "user"}>
            {content}
          </Bubble>
        ))}
        {asked === null ? (
          <p className="pt-14 text-center text-muted">Answers appear here.</p>
        ) : (
          <>
            <Bubble own>{asked.text}</Bubble>
            <Answered progress={asked.progress} measures={measures} wait={wait} />
          </>
        )}
      </div>
      <dl
        aria-label={`Measures of ${model}`}
        className="mt-3 grid grid-cols-2 gap-x-4 gap-y-2 border-t border-line pt-3 sm:grid-cols-3"
      >
        {measureFacts(asked?.progress ?? nothingYet, measures).map(({ label, value, isWide }) => (
          <div key={label} className={cx("min-w-0", isWide === true && "col-span-full")}>
            <dt className="text-xs text-muted">{label}</dt>
            <dd className="truncate" title={value}>
              {value}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function Bubble({ own, children }: { readonly own: boolean; readonly children: ReactNode }): ReactNode {
  return (
    <p
      className={cx(
        "max-w-full rounded-md px-3 py-2 wrap-anywhere whitespace-pre-wrap",
        own ? "justify-self-end bg-accent-tint" : "justify-self-start bg-sunken",
      )}
    >
      {children}
    </p>
  );
}

type AnsweredProps = Pick<Props, "measures" | "wait"> & { readonly progress: Progress };

function Answered({ progress, measures, wait }: AnsweredProps): ReactNode {
  const { answer, end } = progress;
  const { text, toolCalls, vectors, finishReason } = answer;
  return (
    <div className="grid gap-2 justify-self-start">
      {text === "" ? null : <Bubble own={false}>{text}</Bubble>}
      {toolCalls.length === 0 ? null : <Code label="Tool calls" text={JSON.stringify(toolCalls, null, 2)} />}
      {vectors === null ? null : <Code label="Vectors" text={vectorWords(vectors)} />}
      {end === null ? (
        <p className="text-muted">
          <Pending progress={progress} measures={measures} wait={wait} />
        </p>
      ) : null}
      {end?.kind === "stopped" ? <p className="text-muted">Stopped.</p> : null}
      {end?.kind === "failed" ? (
        <p role="alert" className="text-bad">
          {sayServerSentence(end.failure.message)}
        </p>
      ) : null}
      {finishReason === "length" ? (
        <p className="text-xs text-muted">The answer ended at its token limit.</p>
      ) : null}
    </div>
  );
}

function Code({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <pre
      tabIndex={0}
      aria-label={label}
      className="max-h-60 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs"
    >
      {text}
    </pre>
  );
}

/** Says whether the call waits, and why, or works, or writes. */
function Pending({ progress: { answer }, measures, wait }: AnsweredProps): ReactNode {
  const now = useNow();
  if (answer.text !== "") return <>Writing…</>;
  if (wait !== null) return <>Waiting. {waitWords(wait, now)}.</>;
  return measures === null || measures.device === null ? <>Waiting for a device…</> : <>Working…</>;
}

function vectorWords({ length, starts }: NonNullable<Progress["answer"]["vectors"]>): string {
  const rows = starts.map((start) => `[${start.map((one) => one.toFixed(4)).join(", ")}, …]`);
  return [`${String(starts.length)} × ${String(length)} numbers`, ...rows].join("\n");
}
