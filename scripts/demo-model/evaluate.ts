// Asks the model prompts that are not from its training seeds and prints how many it answers exactly right.
//   node evaluate.ts [--prompts 1000] [--seed 4242] [--mistakes] [--json]
//   node evaluate.ts --suggested
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isRight } from "../../launch/farm/grading.ts";
import type { Sample } from "./corpus/sampler.ts";
import { entryAt } from "./entry-at.ts";
import { type LoadedModel, loadModel } from "./evaluation/model.ts";
import {
  drawEvenly,
  type Graded,
  type Score,
  score,
  type Tally,
  trainingPrompts,
} from "./evaluation/score.ts";
import { positiveInteger } from "./options.ts";
import { drawSuggestedPrompts } from "./suggested-prompts.ts";

const { values } = parseArgs({
  options: {
    model: {
      type: "string",
      default: join(import.meta.dirname, "../../resources/demo-model/gleaner-demo-q8.gguf"),
    },
    prompts: { type: "string", default: "1000" },
    seed: { type: "string", default: "4242" },
    suggested: { type: "boolean", default: false },
    mistakes: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

interface Question {
  readonly sample: Sample;
  readonly grade: (answer: string) => boolean;
}

function questions(): readonly Question[] {
  if (values.suggested) {
    return drawSuggestedPrompts().map((sample) => ({
      sample,
      grade: (answer) => isRight(sample.answer, answer),
    }));
  }
  const drawn = drawEvenly(positiveInteger("seed", values.seed), positiveInteger("prompts", values.prompts));
  return drawn.map((sample) => ({ sample, grade: (answer) => answer.trim() === sample.answer }));
}

async function askAll(model: LoadedModel): Promise<{ graded: readonly Graded[]; tokensPerSecond: number }> {
  const seen = trainingPrompts();
  const graded: Graded[] = [];
  const start = performance.now();
  let tokens = 0;
  for (const { sample, grade } of questions()) {
    const reply = await model.ask(sample.prompt);
    tokens += reply.tokens;
    graded.push({
      sample,
      answer: reply.text,
      right: grade(reply.text),
      seen: seen.has(sample.prompt),
    });
  }
  return { graded, tokensPerSecond: (tokens / (performance.now() - start)) * 1_000 };
}

function percent(part: number, whole: number): string {
  return whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`;
}

function row(name: string, { prompts, right, unseenPrompts, unseenRight }: Tally): readonly string[] {
  return [
    name,
    String(prompts),
    percent(right, prompts),
    String(unseenPrompts),
    percent(unseenRight, unseenPrompts),
  ];
}

function table(total: Score): string {
  const rows = [
    ["task", "prompts", "right", "not in training", "right of those"],
    ...total.perTask.map((tally) => row(tally.task, tally)),
    row("all", total),
  ];
  const width = (column: number): number => Math.max(...rows.map((cells) => entryAt(cells, column).length));
  return rows
    .map((cells) =>
      cells.map((cell, i) => (i === 0 ? cell.padEnd(width(i)) : cell.padStart(width(i)))).join("  "),
    )
    .join("\n");
}

const model = await loadModel(values.model);
try {
  const { graded, tokensPerSecond } = await askAll(model);
  const total = score(graded);
  const mistakes = graded
    .filter(({ right }) => !right)
    .map(({ sample, answer }) => ({ ...sample, given: answer }));
  if (values.json) {
    console.log(
      JSON.stringify({ ...total, tokensPerSecond, ...(values.mistakes ? { mistakes } : {}) }, null, 2),
    );
  } else {
    if (values.mistakes) for (const mistake of mistakes) console.log(JSON.stringify(mistake));
    console.log(table(total));
    console.log(`by the corpus' proportions: ${percent(total.rightByShare, 1)} right`);
    console.log(`${tokensPerSecond.toFixed(0)} tokens/s on one thread`);
  }
} finally {
  await model.close();
}
