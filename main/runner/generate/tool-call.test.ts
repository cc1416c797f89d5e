import { ChatMLChatWrapper, type ChatWrapperGenerateContextStateOptions, LlamaText } from "node-llama-cpp";
import { expect, it } from "vitest";
import type { ChatRequest } from "../../../app/jobs/chat.ts";
import { Libraries } from "../load/libraries.ts";
import { ModelSlot } from "../load/model-slot.ts";
import { fullPace } from "../process/duty-cycle.ts";
import { chat, demoModel, planOf } from "../runner.fixture.ts";
import { answer } from "./answer.ts";
import { PrefillSlices } from "./prefill.ts";

/**
 * The demo model was never trained to call a tool. So this wrapper does not show it the tools, and a call begins with
 * words that the model is known to write.
 */
class WordCallWrapper extends ChatMLChatWrapper {
  override readonly settings = {
    ...new ChatMLChatWrapper().settings,
    functions: {
      call: {
        optionalPrefixSpace: true,
        prefix: " of Norway",
        prefixAlternateMatches: [" of Nor"],
        paramsPrefix: LlamaText("("),
        suffix: ")",
      },
      result: { prefix: "", suffix: "" },
    },
  };

  override generateContextState({ chatHistory }: ChatWrapperGenerateContextStateOptions) {
    return super.generateContextState({ chatHistory });
  }
}

it("turns text into a call when the model begins one", { timeout: 60_000 }, async () => {
  const model = await demoModel();
  const slot = new ModelSlot(new Libraries());
  const load = await slot.load(model, planOf(model), new AbortController().signal);
  if (load.kind !== "loaded") throw new Error(load.kind);
  const loaded = { ...load.loaded, wrapper: new WordCallWrapper() };
  const ask = async (request: ChatRequest) => {
    let streamed = "";
    const outcome = await answer(
      { kind: "chat", request },
      {
        loaded,
        slices: new PrefillSlices(),
        pace: fullPace,
        clock: () => 0,
        signal: new AbortController().signal,
        cacheOwner: undefined,
        step: () => undefined,
        emit: (text) => (streamed += text),
      },
    );
    if (outcome.kind !== "done" || !("text" in outcome.result)) throw new Error(JSON.stringify(outcome));
    return { ...outcome.result, streamed };
  };
  const tools = [{ name: "weather", parameters: '{"type":"object","properties":{"n":{"type":"integer"}}}' }];
  const question = chat("What is the capital of Norway?", { tools });
  expect(await ask({ ...question, toolChoice: "none" })).toMatchObject({
    text: "The capital of Norway is Oslo.",
  });
  const called = await ask(question);
  expect(called).toMatchObject({ text: "The capital", streamed: "The capital", finishReason: "tool_calls" });
  expect(called.toolCalls).toMatchObject([{ name: "weather" }]);
  expect(Number.isInteger((JSON.parse(called.toolCalls?.[0]?.arguments ?? "") as { n: number }).n)).toBe(
    true,
  );
  const again = await ask(question);
  expect(again.toolCalls?.[0]?.arguments).toBe(called.toolCalls?.[0]?.arguments);
  await slot.unload();
});
