import { tooFewInPlayground } from "../../app/credits/too-few.ts";
import type { Measures } from "../console/data/rows.ts";
import { AnswerCard, type Side } from "../console/playground/AnswerCard.tsx";
import { nothingYet } from "../console/playground/ask-api.ts";
import { emptyForm, type PlaygroundForm } from "../console/playground/playground-request.ts";
import { PlaygroundCredits } from "../console/playground/PlaygroundCredits.tsx";
import { PlaygroundView } from "../console/playground/PlaygroundView.tsx";
import { inShell } from "./in-shell.tsx";
import type { Story } from "./story.ts";

const nothing = (): void => undefined;
const credit = 1_000_000n;

const question = "Summarize in one sentence: the printer on the second floor jams when its paper is damp.";
const measures: Measures = {
  status: "succeeded",
  queuedMs: 84,
  ranMs: 2_310,
  attempts: 1,
  device: { platform: "darwin arm64", gpu: true, memoryGb: 16 },
  usage: { promptTokens: 31, completionTokens: 22 },
  timing: { prefillMs: 190, generateMs: 1_020 },
  priceMicro: 2_820_000n,
};

const done: Side = {
  model: "qwen3-4b",
  turns: [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hello! How can I help?" },
  ],
  asked: {
    text: question,
    progress: {
      ...nothingYet,
      answer: { ...nothingYet.answer, text: "Damp paper jams the printer on the second floor." },
      jobId: "j1",
      firstTokenMs: 402,
      end: { kind: "done", ms: 1_420 },
    },
  },
};
const writing: Side = {
  model: "gemma-3-12b-instruct",
  turns: [],
  asked: {
    text: question,
    progress: { ...nothingYet, answer: { ...nothingYet.answer, text: "The printer" }, jobId: "j2" },
  },
};
const failed: Side = {
  model: "qwen3-4b",
  turns: [],
  asked: {
    text: question,
    progress: {
      ...nothingYet,
      end: {
        kind: "failed",
        ms: 40,
        failure: { code: "insufficient_quota", message: tooFewInPlayground(12_500_000n, 3_000_000n) },
      },
    },
  },
};

/** States of the playground. */
export function playgroundStories(): readonly Story[] {
  const story = (
    id: string,
    sides: readonly { readonly side: Side; readonly measures: Measures | null }[],
    more: {
      form?: Partial<PlaygroundForm>;
      refusal?: string;
      running?: boolean;
      models?: readonly string[] | undefined;
    } = {},
  ): Story =>
    inShell(
      id,
      "playground",
      <PlaygroundView
        server={{ apiBase: "https://gleaner.example.org", ownCertificate: false }}
        models={"models" in more ? more.models : ["qwen3-4b", "gemma-3-12b-instruct"]}
        chosen={sides.map(({ side }) => side.model)}
        form={{ ...emptyForm, text: question, ...more.form }}
        problems={{}}
        state={{
          dailyMicro: 100n * credit,
          key: { prefix: "sk-gleaner-c0Ns", until: 0, leftMicro: 93_400_000n },
        }}
        refusal={more.refusal ?? null}
        isRunning={more.running ?? false}
        answers={sides.map(({ side, measures: measured }) => (
          <AnswerCard key={side.model} side={side} measures={measured} wait={null} onStop={nothing} />
        ))}
        credits={<PlaygroundCredits dailyMicro={100n * credit} onSet={nothing} />}
        onChoose={nothing}
        onForm={nothing}
        onRun={nothing}
        onStop={nothing}
        onClear={nothing}
      />,
    );
  const unasked: Side = { model: "qwen3-4b", turns: [], asked: null };
  return [
    story("console-playground", [{ side: done, measures }]),
    story(
      "console-playground-two",
      [
        { side: done, measures },
        {
          side: writing,
          measures: {
            ...measures,
            status: "running",
            ranMs: null,
            usage: null,
            timing: null,
            priceMicro: null,
          },
        },
      ],
      { running: true, form: { format: "schema" } },
    ),
    story("console-playground-empty", [{ side: unasked, measures: null }], {
      refusal:
        "You have spent this day's credits of the playground. They come back within 24 hours, and an administrator can raise them.",
    }),
    story("console-playground-failed", [{ side: failed, measures: null }], { form: { mode: "completion" } }),
    story("console-playground-loading", [], { models: undefined }),
    story("console-playground-no-models", [], { models: [] }),
  ];
}
