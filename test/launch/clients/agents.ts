import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { describe, expect, test } from "vitest";
import { makeClient } from "../../../launch/farm/ask.ts";
import { answer, question, type Server, sumSchema, weather } from "./server.ts";

export function testAgents(server: () => Server): void {
  describe.each([
    ["responses", true],
    ["chat", false],
  ])("%s", (_name, useResponses) => {
    const runner = (): Runner => {
      const { site, apiKey } = server();
      const modelProvider = new OpenAIProvider({ openAIClient: makeClient(site, apiKey), useResponses });
      return new Runner({ modelProvider, tracingDisabled: true });
    };
    const settings = { temperature: 0, maxTokens: 32 };
    const base = () => ({ name: "Helper", model: server().model, modelSettings: settings });
    const forced = { ...settings, toolChoice: "required" };

    test("an agent's text is the same whole and streamed, with its tokens", async () => {
      const whole = await runner().run(new Agent(base()), question);
      expect(whole.finalOutput).toBe(answer);
      expect(whole.state.usage).toMatchObject({ inputTokens: 21, outputTokens: 10 });
      const streamed = await runner().run(new Agent(base()), question, { stream: true });
      let text = "";
      for await (const piece of streamed.toTextStream()) text += piece;
      await streamed.completed;
      expect([text, streamed.finalOutput]).toEqual([answer, answer]);
    });

    test("an agent calls a tool and goes on with its result", async () => {
      const { name, description, schema: parameters, run: execute } = weather;
      const tools = [tool({ name, description, parameters, execute })];
      const agent = new Agent({ ...base(), tools, modelSettings: forced });
      const { newItems, finalOutput } = await runner().run(agent, "What is the weather in Oslo?");
      expect(newItems.map(({ type }) => type)).toEqual([
        "tool_call_item",
        "tool_call_output_item",
        "message_output_item",
      ]);
      expect(typeof finalOutput).toBe("string");
    });

    test("an agent hands over to another", async () => {
      const other = new Agent({ ...base(), name: "Other" });
      const agent = new Agent({ ...base(), handoffs: [other], modelSettings: forced });
      const { lastAgent } = await runner().run(agent, question);
      expect(lastAgent?.name).toBe("Other");
    });

    test("an agent's answer follows a schema", async () => {
      const agent = new Agent({ ...base(), outputType: sumSchema });
      const { finalOutput } = await runner().run(agent, question);
      expect(finalOutput).toEqual(sumSchema.parse(finalOutput));
    });
  });
}
