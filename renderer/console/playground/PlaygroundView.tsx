import type { ReactNode } from "react";
import { formatCredits } from "../../../app/money/credits.ts";
import { samplePrompt } from "../../../app/sample-prompt.ts";
import { Banner } from "../../ui/Banner.tsx";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/controls/Button.tsx";
import { Form } from "../../ui/controls/Form.tsx";
import { Select } from "../../ui/controls/Select.tsx";
import { TextArea } from "../../ui/controls/TextArea.tsx";
import { cx } from "../../ui/cx.ts";
import { Empty } from "../../ui/Empty.tsx";
import { SkeletonRows } from "../../ui/Skeleton.tsx";
import type { PlaygroundState } from "../data/rows.ts";
import type { ApiServer } from "../keys/snippets.ts";
import { hrefOf } from "../shell/route.ts";
import { Parameters } from "./Parameters.tsx";
import {
  emptyForm,
  type FormProblems,
  type Mode,
  type PlaygroundForm,
  requestOf,
} from "./playground-request.ts";
import { SameAs } from "./SameAs.tsx";

type Props = {
  readonly server: ApiServer;
  /** The models that are not retired. Undefined while they load. */
  readonly models: readonly string[] | undefined;
  /** One or two of them. */
  readonly chosen: readonly string[];
  readonly form: PlaygroundForm;
  readonly problems: FormProblems;
  readonly state: PlaygroundState | undefined;
  /** Why no key could be made. */
  readonly refusal: string | null;
  readonly isRunning: boolean;
  /** A card for each chosen model. */
  readonly answers: ReactNode;
  /** Lets an administrator set the credits. */
  readonly credits: ReactNode;
  readonly onChoose: (chosen: readonly string[]) => void;
  readonly onForm: (form: PlaygroundForm) => void;
  readonly onRun: () => void;
  readonly onStop: () => void;
  readonly onClear: () => void;
};

const modes: Readonly<Record<Mode, string>> = {
  chat: "Chat",
  completion: "Completion",
  embedding: "Embeddings",
};
const texts: Readonly<Record<Mode, { label: string; hint?: string }>> = {
  chat: { label: "Message" },
  completion: { label: "Prompt", hint: "The model continues this text." },
  embedding: { label: "Texts, one a line" },
};

export function PlaygroundView(props: Props): ReactNode {
  const { models, chosen, form, problems, state, refusal, isRunning, answers } = props;
  // A run needs a model, so the form waits for them.
  if (models === undefined)
    return (
      <Card>
        <SkeletonRows />
      </Card>
    );
  if (models.length === 0)
    return (
      <Card>
        <Empty
          title="No models yet"
          action={
            <a href={hrefOf("models")} className="font-medium text-accent underline underline-offset-2">
              Open the models
            </a>
          }
        >
          An administrator adds models on the page Models.
        </Empty>
      </Card>
    );
  const [first = "", second] = chosen;
  const options = models.map((value) => ({ value, label: value }));
  const shown = requestOf({ ...form, text: form.text.trim() === "" ? samplePrompt : form.text }, first);
  const example = shown.kind === "ok" ? shown : requestOf({ ...emptyForm, text: samplePrompt }, first);
  return (
    <div className="grid items-start gap-4 xl:grid-cols-[22rem_minmax(0,1fr)]">
      {/* In a narrow window the answers come right after the request. */}
      <div className="contents gap-4 xl:grid">
        <Card title="Request" className="order-1">
          <Form onSubmit={props.onRun}>
            <Select
              label="Kind"
              value={form.mode}
              options={Object.entries(modes).map(([value, label]) => ({ value, label }))}
              onChange={(mode) => props.onForm({ ...form, mode: mode as Mode })}
            />
            <Select
              label="Model"
              value={first}
              options={options}
              onChange={(model) => props.onChoose(second === undefined ? [model] : [model, second])}
            />
            <Select
              label="Compare with"
              value={second ?? ""}
              options={[{ value: "", label: "No other model" }, ...options]}
              onChange={(model) => props.onChoose(model === "" ? [first] : [first, model])}
            />
            {form.mode === "chat" ? (
              <TextArea
                label="System prompt (optional)"
                rows={2}
                value={form.system}
                onChange={(event) => props.onForm({ ...form, system: event.target.value })}
              />
            ) : null}
            <TextArea
              {...texts[form.mode]}
              rows={5}
              value={form.text}
              error={problems.text ?? null}
              onChange={(event) => props.onForm({ ...form, text: event.target.value })}
              onKeyDown={(event) => {
                if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                  event.preventDefault();
                  if (!isRunning) props.onRun();
                }
              }}
            />
            <div className="flex flex-wrap gap-2">
              {/* No submit button: the end of Stop's click would submit the form, since both are the same button. */}
              <Button
                look="primary"
                title={isRunning ? undefined : "Ctrl+Enter"}
                onClick={isRunning ? props.onStop : props.onRun}
              >
                {isRunning ? "Stop" : "Run"}
              </Button>
              <Button look="quiet" onClick={props.onClear}>
                {form.mode === "chat" ? "New conversation" : "Clear"}
              </Button>
            </div>
          </Form>
        </Card>
        {form.mode === "embedding" ? null : (
          <Card title="Parameters" className="order-3">
            <Form onSubmit={props.onRun}>
              <Parameters form={form} problems={problems} onChange={props.onForm} />
            </Form>
          </Card>
        )}
        <Card title="Credits" className="order-3">
          <p>{creditWords(state)}</p>
          {props.credits}
        </Card>
      </div>
      <div className="order-2 grid min-w-0 gap-4">
        {refusal === null ? null : (
          <div className="overflow-hidden rounded-lg">
            <Banner tone="bad">{refusal}</Banner>
          </div>
        )}
        <div className={cx("grid items-start gap-4", second !== undefined && "lg:grid-cols-2")}>
          {answers}
        </div>
        {example.kind === "ok" ? (
          <Card title="The same call from a program">
            <SameAs server={props.server} call={example.call} />
          </Card>
        ) : null}
      </div>
    </div>
  );
}

function creditWords(state: PlaygroundState | undefined): string {
  if (state === undefined) return "…";
  const daily = formatCredits(state.dailyMicro);
  if (state.dailyMicro === 0n) return "The playground is closed: an administrator gave it no credits.";
  if (state.key === null) return `You may spend ${daily} in 24 hours here.`;
  return `${formatCredits(state.key.leftMicro)} of ${daily} left for 24 hours.`;
}
