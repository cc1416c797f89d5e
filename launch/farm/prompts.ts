import suggested from "../../resources/demo-model/suggested-prompts.json" with { type: "json" };
import { isRight } from "./grading.ts";

export type DemoPrompt = { readonly prompt: string; readonly grade: (answer: string) => boolean };

/** The first `count` suggested prompts, a mix of all tasks. They repeat if `count` is larger than their number. */
export function demoPrompts(count: number): readonly DemoPrompt[] {
  return Array.from({ length: count }, (_, index) => {
    const sample = suggested[index % suggested.length];
    if (sample === undefined) throw new Error("there are no suggested prompts");
    return { prompt: sample.prompt, grade: (answer) => isRight(sample.answer, answer) };
  });
}
