import Instructor from "@instructor-ai/instructor";
import { expect, test } from "vitest";
// It knows the schemas of zod 3 only, which zod 4 still has.
import * as z from "zod/v3";
import { makeClient } from "../../../launch/farm/ask.ts";
import { question, type Server } from "./server.ts";

export function testInstructor(server: () => Server): void {
  const schema = z.object({ city: z.enum(["Oslo", "Rome"]) });
  test.each(["TOOLS", "JSON_SCHEMA"] as const)("an answer follows a schema, in the mode %s", async (mode) => {
    const { site, apiKey, model } = server();
    const client = Instructor({ client: makeClient(site, apiKey), mode });
    const answered = await client.chat.completions.create({
      model,
      temperature: 0,
      max_tokens: 64,
      max_retries: 0,
      messages: [{ role: "user", content: question }],
      response_model: { schema, name: "Answer" },
    });
    expect(() => schema.parse(answered)).not.toThrow();
  });
}
