// Uses node-llama-cpp as its manual says and none of our code, for comparison.
import {
  getLlama,
  type Llama,
  type LlamaContextSequence,
  LlamaLogLevel,
  type LlamaModel,
  resolveChatWrapper,
} from "node-llama-cpp";
import type { DirectAnswer, DirectTask } from "./direct.ts";

let loaded: { readonly llama: Llama; readonly model: LlamaModel } | null = null;

async function load({ file, threads }: DirectTask): Promise<LlamaModel> {
  if (loaded === null) {
    const llama = await getLlama({
      gpu: false,
      build: "never",
      maxThreads: threads,
      logLevel: LlamaLogLevel.error,
    });
    loaded = { llama, model: await llama.loadModel({ modelPath: file }) };
  }
  return loaded.model;
}

async function work(task: DirectTask): Promise<DirectAnswer> {
  const model = await load(task);
  const wrapper = resolveChatWrapper(model);
  const { contextTokens, sequences, threads, maxTokens } = task;
  const context = await model.createContext({ contextSize: contextTokens, sequences, threads });
  const left = [...task.prompts];
  const answer = async (sequence: LlamaContextSequence, text: string): Promise<number> => {
    await sequence.clearHistory();
    const { contextText } = wrapper.generateContextState({
      chatHistory: [
        { type: "user", text },
        { type: "model", response: [] },
      ],
    });
    const tokens = contextText.tokenize(model.tokenizer);
    const said = [];
    for await (const token of sequence.evaluate(tokens, { temperature: 0, topK: 0, topP: 1 })) {
      said.push(token);
      if (said.length >= maxTokens) break;
    }
    model.detokenize(said);
    return said.length;
  };
  const lane = async (): Promise<number> => {
    const sequence = context.getSequence();
    let tokens = 0;
    for (let next = left.shift(); next !== undefined; next = left.shift())
      tokens += await answer(sequence, next);
    return tokens;
  };
  const startedAt = performance.now();
  const counts = await Promise.all(Array.from({ length: sequences }, lane));
  const seconds = (performance.now() - startedAt) / 1_000;
  await context.dispose();
  return { tokens: counts.reduce((sum, count) => sum + count, 0), seconds };
}

process.on("message", (task: DirectTask) => {
  void work(task).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit(0));
