import { chat } from "../../main/runner/runner.fixture.ts";

/** A job whose answer goes on for as long as there is room in a context of 4096 tokens: its grammar knows no end. */
export function endless(prompt: string): ReturnType<typeof chat> {
  return chat(prompt, {
    maxTokens: 3_900,
    temperature: 1,
    format: { kind: "grammar", grammar: "root ::= [a-z ] root" },
  });
}
