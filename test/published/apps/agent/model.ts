import { simulateReadableStream } from "ai";
import { MockEmbeddingModelV4, MockLanguageModelV4 } from "ai/test";

type Prompt = MockLanguageModelV4["doGenerateCalls"][number]["prompt"];

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

function lastText(prompt: Prompt): string {
  const last = prompt.at(-1);
  return last?.role === "user" ? last.content.map((part) => ("text" in part ? part.text : "")).join("") : "";
}

/** A model that asks its tool for the temperature of a city, and otherwise says how many user messages it has read. */
export const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    const city = /temperature in (\w+)/.exec(lastText(prompt))?.[1];
    if (city !== undefined) {
      const input = JSON.stringify({ city });
      return {
        content: [{ type: "tool-call", toolCallId: `call-${city}`, toolName: "temperature", input }],
        finishReason: { unified: "tool-calls", raw: undefined },
        usage,
        warnings: [],
      };
    }
    const last = prompt.at(-1);
    const result = last?.role === "tool" && last.content[0]?.type === "tool-result" && last.content[0].output;
    const read = prompt.filter(({ role }) => role === "user").length;
    const text = result
      ? `It is ${JSON.stringify("value" in result ? result.value : null)}.`
      : `I read ${read}.`;
    return {
      content: [{ type: "text", text }],
      finishReason: { unified: "stop", raw: undefined },
      usage,
      warnings: [],
    };
  },
  doStream: async ({ prompt }) => {
    const words = `You said: ${lastText(prompt)}`.split(/(?<= )/);
    return {
      stream: simulateReadableStream({
        chunkDelayInMs: 150,
        chunks: [
          { type: "stream-start" as const, warnings: [] },
          { type: "text-start" as const, id: "0" },
          ...words.map((delta) => ({ type: "text-delta" as const, id: "0", delta })),
          { type: "text-end" as const, id: "0" },
          { type: "finish" as const, finishReason: { unified: "stop" as const, raw: undefined }, usage },
        ],
      }),
    };
  },
});

/** Words of one topic have one direction, so "dog" is near "puppy", which text search does not find. */
const topics = [
  ["dog", "puppy", "leash"],
  ["tax", "invoice", "bill"],
  ["rain", "umbrella", "cloud"],
];
const dimensions = 128;

function embed(text: string): number[] {
  const words = text.toLowerCase().split(/\W+/);
  const vector = Array.from({ length: dimensions }, () => 0.01);
  topics.forEach((topic, index) => {
    vector[index]! += words.filter((word) => topic.includes(word)).length;
  });
  return vector;
}

/** A model that embeds texts by the topics of their words. */
export const embeddingModel = new MockEmbeddingModelV4({
  modelId: "topics",
  maxEmbeddingsPerCall: 100,
  doEmbed: async ({ values }) => ({ embeddings: values.map(embed), warnings: [] }),
});
