import { getLlama, LlamaChatSession, resolveChatWrapper } from "node-llama-cpp";

export interface Reply {
  readonly text: string;
  /** Tokens of the reply. */
  readonly tokens: number;
}

export interface LoadedModel {
  /** One turn without any history, at temperature 0. */
  readonly ask: (prompt: string) => Promise<Reply>;
  /** The text's token ids, without control tokens. */
  readonly tokenize: (text: string) => readonly number[];
  readonly close: () => Promise<void>;
}

/** The longest answer of the corpus has about 130 tokens. */
const maxTokens = 160;

/** Loads a GGUF on one CPU thread. With a model of this size, more threads only slow each other down. */
export async function loadModel(path: string): Promise<LoadedModel> {
  const llama = await getLlama({ gpu: false, build: "never", maxThreads: 1 });
  const model = await llama.loadModel({ modelPath: path });
  const context = await model.createContext({ contextSize: 512, threads: 1 });
  const sequence = context.getSequence();
  // Detecting the chat wrapper takes a third of a second. All sessions can share it.
  const chatWrapper = resolveChatWrapper(model);

  const ask = async (prompt: string): Promise<Reply> => {
    const session = new LlamaChatSession({ contextSequence: sequence, chatWrapper, systemPrompt: "" });
    const text = await session.prompt(prompt, { maxTokens, temperature: 0 });
    session.dispose({ disposeSequence: false });
    await sequence.clearHistory();
    return { text, tokens: model.tokenize(text).length };
  };
  return { ask, tokenize: (text) => model.tokenize(text), close: () => llama.dispose() };
}
