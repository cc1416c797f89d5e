import { type AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, OpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { answer, question, type Server, sumSchema, weather } from "./server.ts";

const usage = z.object({ usage_metadata: z.object({ input_tokens: z.number() }) });
const promptTokens = (message: object): number => usage.parse(message).usage_metadata.input_tokens;

export function testLangChain(server: () => Server): void {
  const access = () => {
    const { site, apiKey, model } = server();
    return { model, apiKey, configuration: { baseURL: `${site}/v1` }, maxRetries: 0 };
  };

  describe.each([
    ["chat", false],
    ["responses", true],
  ])("%s", (_name, useResponsesApi) => {
    const chat = () => new ChatOpenAI({ ...access(), temperature: 0, maxTokens: 32, useResponsesApi });

    test("a text is the same whole, streamed and in a batch, with its tokens", async () => {
      const whole = await chat().invoke(question);
      expect(whole.text).toBe(answer);
      expect(whole.usage_metadata).toMatchObject({ input_tokens: 21, output_tokens: 10 });
      const pieces: AIMessageChunk[] = [];
      for await (const piece of await chat().stream(question)) pieces.push(piece);
      const streamed = pieces.reduce((sum, piece) => sum.concat(piece));
      expect(streamed.text).toBe(answer);
      expect(streamed.usage_metadata).toMatchObject({ input_tokens: 21, output_tokens: 10 });
      const many = await chat().batch([question, question]);
      expect(many.map((each) => each.text)).toEqual([answer, answer]);
    });

    test("a forced tool is called, and its result goes back", async () => {
      const { run, ...described } = weather;
      const look = tool(run, described);
      const messages = [new HumanMessage("What is the weather in Oslo?")];
      const called = await chat().bindTools([look], { tool_choice: "weather" }).invoke(messages);
      const [call] = called.tool_calls ?? [];
      if (call === undefined) throw new Error("there is no call");
      expect(weather.schema.parse(call.args).city).toBeDefined();
      const result = await look.invoke({ ...call, type: "tool_call" });
      const end = await chat()
        .bindTools([look])
        .invoke([...messages, called, result]);
      expect(promptTokens(end)).toBeGreaterThan(promptTokens(called));
    });

    test.each(["jsonSchema", "functionCalling"] as const)(
      "an answer follows a schema, by %s",
      async (method) => {
        const asked = chat().withStructuredOutput(sumSchema, { name: "answer", method });
        expect(await asked.invoke(question)).toHaveProperty("sum");
      },
    );
  });

  test("a prompt is continued", async () => {
    const llm = new OpenAI({ ...access(), temperature: 0, maxTokens: 3 });
    expect(await llm.invoke("The capital of Norway is")).toBe(" Oslo");
  });

  test("several prompts are continued by one call", async () => {
    const llm = new OpenAI({ ...access(), temperature: 0, maxTokens: 4, stop: ["."] });
    const prompts = ["The capital of Norway is", "The capital of Greece is"];
    const { generations, llmOutput } = await llm.generate(prompts);
    expect(generations.map((each) => each.map(({ text }) => text))).toEqual([[" Oslo"], [" Athens"]]);
    expect(llmOutput).toMatchObject({ tokenUsage: { promptTokens: expect.any(Number) as number } });
  });

  test("texts become vectors", async () => {
    const vectors = new OpenAIEmbeddings(access());
    const documents = await vectors.embedDocuments(["cat", "dog"]);
    expect(documents).toHaveLength(2);
    expect(await vectors.embedQuery("cat")).toEqual(documents[0]);
  });
}
