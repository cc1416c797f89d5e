import { type ChatResponse, type Message, Ollama } from "ollama";
import { expect, test } from "vitest";
import * as z from "zod";
import { answer, question, type Server, sumSchema, weather } from "./server.ts";

export function testOllama(server: () => Server): void {
  const client = (): Ollama => {
    const { site, apiKey } = server();
    return new Ollama({ host: site, headers: { Authorization: `Bearer ${apiKey}` } });
  };
  const asked = () => ({
    model: server().model,
    messages: [{ role: "user", content: question }] as Message[],
    options: { temperature: 0, num_predict: 16 },
  });

  test("a chat is the same whole and streamed, and its times are known", async () => {
    const whole = await client().chat(asked());
    expect(whole).toMatchObject({ message: { role: "assistant", content: answer }, done_reason: "stop" });
    const parts: ChatResponse[] = [];
    for await (const part of await client().chat({ ...asked(), stream: true })) parts.push(part);
    expect(parts.map(({ message }) => message.content).join("")).toBe(answer);
    for (const end of [whole, parts.at(-1)]) {
      expect(end?.done).toBe(true);
      expect(end?.eval_count).toBeGreaterThan(0);
      expect(end?.eval_duration).toBeGreaterThan(0);
      expect(end?.total_duration).toBeGreaterThan(end?.eval_duration ?? 0);
    }
  });

  test("tools are offered, and a result goes back to its call", async () => {
    const { name, description, schema } = weather;
    const parameters = z.toJSONSchema(schema) as object;
    const tools = [{ type: "function", function: { name, description, parameters } }];
    const call = { function: { name, arguments: { city: "Oslo" } } };
    const messages = [
      ...asked().messages,
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", tool_name: name, content: "sun" },
    ];
    const without = await client().chat(asked());
    const end = await client().chat({ ...asked(), tools, messages });
    expect(end.prompt_eval_count).toBeGreaterThan(without.prompt_eval_count);
  });

  test("an answer follows a schema", async () => {
    const { message } = await client().chat({ ...asked(), format: z.toJSONSchema(sumSchema) });
    expect(sumSchema.parse(JSON.parse(message.content)).sum).toBeLessThanOrEqual(50);
  });

  test("a raw prompt is continued, whole and streamed", async () => {
    const { model } = server();
    const prompt = { model, prompt: "The capital of Norway is", raw: true };
    const options = { temperature: 0, num_predict: 3 };
    const whole = await client().generate({ ...prompt, options });
    expect([whole.response, whole.done_reason]).toEqual([" Oslo", "length"]);
    let text = "";
    for await (const part of await client().generate({ ...prompt, options, stream: true })) {
      text += part.response ?? "";
    }
    expect(text).toBe(" Oslo");
  });

  test("texts become vectors", async () => {
    const { model } = server();
    const { embeddings } = await client().embed({ model, input: ["cat", "dog"] });
    const { embedding } = await client().embeddings({ model, prompt: "cat" });
    expect(embeddings).toHaveLength(2);
    expect(embedding).toEqual(embeddings[0]);
  });

  test("models are listed and shown", async () => {
    const { model } = server();
    const { models } = await client().list();
    expect(models.map(({ name }) => name)).toEqual([model]);
    expect((await client().show({ model })).capabilities).toContain("completion");
    expect((await client().version()).version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  test("refusals are the client's errors, with a sentence", async () => {
    const refused = async (call: Promise<unknown>, status_code: number, message: RegExp) => {
      const error = await call.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        name: "ResponseError",
        status_code,
        message: expect.stringMatching(message) as string,
      });
    };
    await refused(client().chat({ ...asked(), model: "none" }), 404, /'none' does not exist/);
    await refused(client().chat({ ...asked(), think: "high" }), 400, /'think'/);
    await refused(client().pull({ model: "x" }), 403, /console's page Models/);
    await refused(client().ps(), 403, /Devices/);
    await refused(new Ollama({ host: server().site }).list(), 401, /API key/);
  });
}
