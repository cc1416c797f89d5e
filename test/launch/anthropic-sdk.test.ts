import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { type Farm, startFarm } from "../../launch/farm/farm.ts";

/** Anthropic's official client, on a running backend and a donor with the demo model. */
let farm: Farm;
let client: Anthropic;

beforeAll(async () => {
  farm = await startFarm();
  await farm.startDonor("anthropic-sdk");
  client = new Anthropic({ baseURL: farm.backend.siteUrl, apiKey: farm.organization.apiKey, maxRetries: 0 });
});
afterAll(async () => {
  await farm.close();
});

/** The API has the field; the newest client no longer names it. */
const exact = { temperature: 0 };

const sum = (): Anthropic.MessageCreateParamsNonStreaming => ({
  model: farm.modelId,
  max_tokens: 16,
  ...exact,
  messages: [{ role: "user", content: "What is 7 + 5?" }],
});

const textIn = ({ content }: Anthropic.Message): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

test("a message is the same whole and streamed", async () => {
  const whole = await client.messages.create(sum());
  expect(textIn(whole).length).toBeGreaterThan(0);
  expect(whole.usage.output_tokens).toBeGreaterThan(0);
  const stream = client.messages.stream(sum());
  let text = "";
  stream.on("text", (piece) => {
    text += piece;
  });
  const streamed = await stream.finalMessage();
  expect(textIn(streamed)).toBe(textIn(whole));
  expect(text).toBe(textIn(whole));
  expect(streamed.stop_reason).toBe(whole.stop_reason);
});

test("an answer names the stop sequence that ended it, whole and streamed", async () => {
  const text = textIn(await client.messages.create(sum()));
  const stop = text.slice(1, 3);
  const stopped = { ...sum(), stop_sequences: ["no such text", stop] };
  const whole = await client.messages.create(stopped);
  const streamed = await client.messages.stream(stopped).finalMessage();
  for (const message of [whole, streamed]) {
    expect(textIn(message)).toBe(text.slice(0, text.indexOf(stop)));
    expect(message).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: stop });
  }
});

test("a forced tool is called, whole and streamed, and its result goes back", async () => {
  const properties = { city: { type: "string", enum: ["Oslo", "Rome"] } };
  const withTool = {
    ...sum(),
    max_tokens: 64,
    messages: [{ role: "user" as const, content: "What is the weather in Oslo?" }],
    tools: [{ name: "weather", input_schema: { type: "object" as const, properties, required: ["city"] } }],
    tool_choice: { type: "tool" as const, name: "weather" },
  };
  const whole = await client.messages.create(withTool);
  const streamed = await client.messages.stream(withTool).finalMessage();
  for (const { stop_reason, content } of [whole, streamed]) {
    expect(stop_reason).toBe("tool_use");
    const [call] = content;
    expect(call).toMatchObject({ type: "tool_use", name: "weather" });
    expect(["Oslo", "Rome"]).toContain((call as { input: { city: string } }).input.city);
  }
  const [call] = whole.content;
  if (call?.type !== "tool_use") throw new Error("there is no call");
  const answered = await client.messages.create({
    ...sum(),
    tools: withTool.tools,
    messages: [
      ...withTool.messages,
      { role: "assistant", content: whole.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "sun" }] },
    ],
  });
  expect(answered.usage.input_tokens + (answered.usage.cache_read_input_tokens ?? 0)).toBeGreaterThan(0);
});

test.each([false, true])("the runner of tools calls them and goes on (stream: %s)", async (stream) => {
  const cities: string[] = [];
  const weather = betaZodTool({
    name: "weather",
    description: "Tells the weather of a city.",
    inputSchema: z.object({ city: z.enum(["Oslo", "Rome"]) }),
    run: ({ city }) => {
      cities.push(city);
      return "sun";
    },
  });
  const runner = client.beta.messages.toolRunner({
    model: farm.modelId,
    max_tokens: 64,
    messages: [{ role: "user", content: "What is the weather in Oslo?" }],
    tools: [weather],
    tool_choice: { type: "any" },
    // Each answer has to be a call.
    max_iterations: 2,
    stream,
  });
  const last = await runner.runUntilDone();
  expect(cities).toHaveLength(2);
  expect(last.stop_reason).toBe("tool_use");
});

test("tokens are counted, and errors have the client's classes", async () => {
  const { model, messages } = sum();
  const { input_tokens } = await client.messages.countTokens({ model, messages });
  expect(input_tokens).toBeGreaterThan(0);
  await expect(client.messages.create({ ...sum(), model: "none" })).rejects.toBeInstanceOf(
    Anthropic.NotFoundError,
  );
  const stranger = new Anthropic({ baseURL: farm.backend.siteUrl, apiKey: "wrong", maxRetries: 0 });
  await expect(stranger.messages.create(sum())).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
});
