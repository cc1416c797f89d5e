import { type SuggestedPrompt, suggestedPrompts } from "../../scripts/demo-model/suggested-prompts.ts";

export type DemoPrompt = SuggestedPrompt;

/** The first `count` suggested prompts, a mix of all tasks. They repeat if `count` is larger than their number. */
export function demoPrompts(count: number): readonly DemoPrompt[] {
  return Array.from({ length: count }, (_, index) => {
    const prompt = suggestedPrompts[index % suggestedPrompts.length];
    if (prompt === undefined) throw new Error("there are no suggested prompts");
    return prompt;
  });
}
