import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { embedMany, generateText, Output, stepCountIs, streamText, tool } from "ai";
import { describe, expect, test } from "vitest";
import { answer, question, type Server, sumSchema, weather } from "./server.ts";

export function testAiSdk(server: () => Server): void {
  const openai = () => {
    const { site, apiKey } = server();
    return createOpenAI({ baseURL: `${site}/v1`, apiKey });
  };
  const compatible = () => {
    const { site, apiKey } = server();
    const options = { includeUsage: true, supportsStructuredOutputs: true };
    return createOpenAICompatible({ name: "gleaner", baseURL: `${site}/v1`, apiKey, ...options });
  };
  const { description, schema, run } = weather;
  const tools = { weather: tool({ description, inputSchema: schema, execute: run }) };

  describe.each([
    ["responses", () => openai()(server().model)],
    ["chat", () => openai().chat(server().model)],
    ["openai-compatible", () => compatible()(server().model)],
  ])("%s", (_name, model) => {
    const asked = () => ({
      model: model(),
      prompt: question,
      temperature: 0,
      maxOutputTokens: 64,
      maxRetries: 0,
    });

    test("a text is the same whole and streamed, with its tokens", async () => {
      const whole = await generateText(asked());
      expect([whole.text, whole.finishReason]).toEqual([answer, "stop"]);
      const streamed = streamText(asked());
      let text = "";
      for await (const piece of streamed.textStream) text += piece;
      expect(text).toBe(answer);
      for (const usage of [whole.usage, await streamed.usage]) {
        expect(usage).toMatchObject({ inputTokens: 21, outputTokens: 10 });
      }
    });

    test("a forced tool is called, whole and streamed", async () => {
      const whole = await generateText({
        ...asked(),
        tools,
        toolChoice: { type: "tool", toolName: "weather" },
      });
      expect(whole.finishReason).toBe("tool-calls");
      expect(whole.toolResults[0]?.output).toMatch(/^sun in (Oslo|Rome)$/);
      const streamed = streamText({ ...asked(), tools, toolChoice: "required" });
      await streamed.consumeStream();
      expect(await streamed.toolCalls).toMatchObject([
        { toolName: "weather", input: whole.toolCalls[0]?.input },
      ]);
    });

    test("a tool's result goes back in the next step", async () => {
      const { steps } = await generateText({
        ...asked(),
        tools,
        toolChoice: "required",
        stopWhen: stepCountIs(2),
      });
      expect(steps).toHaveLength(2);
      expect(steps[1]?.usage.inputTokens).toBeGreaterThan(steps[0]?.usage.inputTokens ?? 0);
    });

    test("an answer follows a schema", async () => {
      const { output } = await generateText({ ...asked(), output: Output.object({ schema: sumSchema }) });
      expect(output).toEqual(sumSchema.parse(output));
    });
  });

  test("an earlier answer is sent again if responses are not stored", async () => {
    const { model } = server();
    const providerOptions = { openai: { store: false } };
    const asked = {
      model: openai()(model),
      temperature: 0,
      maxOutputTokens: 16,
      maxRetries: 0,
      providerOptions,
    };
    const first = await generateText({ ...asked, prompt: question });
    const turn = { role: "user" as const, content: question };
    const second = await generateText({
      ...asked,
      messages: [turn, ...first.finalStep.response.messages, turn],
    });
    expect(second.usage.inputTokens).toBeGreaterThan(first.usage.inputTokens ?? 0);
  });

  test("texts become vectors", async () => {
    const { model } = server();
    const values = ["cat", "dog"];
    const { embeddings } = await embedMany({ model: openai().embedding(model), values });
    expect(embeddings).toHaveLength(2);
    const same = await embedMany({ model: compatible().embeddingModel(model), values });
    expect(same.embeddings).toEqual(embeddings);
  });
}
