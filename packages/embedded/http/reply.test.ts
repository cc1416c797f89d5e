import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { closeServer, listen } from "./listen/listen.ts";
import { completedReply, jsonReply, refusal, type Reply, sendReply } from "./reply.ts";

async function sent(reply: Reply): Promise<string> {
  const server = createServer((_, response) => void sendReply(response, reply));
  const port = await listen(server, 0, "127.0.0.1");
  onTestFinished(() => closeServer(server, 0));
  return await (await fetch(`http://127.0.0.1:${String(port)}/`)).text();
}

const hidden = "a\u202eb\u009bc";

test.each<[string, Reply]>([
  ["a refusal", refusal(400, "BadRequest", hidden)],
  [
    "a failed call",
    completedReply(
      { outcome: { kind: "failure", message: hidden, data: hidden }, logLines: [] } as never,
      "json",
    ),
  ],
])("%s escapes hidden characters, and stays the same JSON", async (_, reply) => {
  const text = await sent(reply);
  expect(text).not.toMatch(/[\u202e\u009b]/);
  expect(text).toContain("a\\u202eb\\u009bc");
  expect(JSON.parse(text)).toEqual(reply.body.type === "json" ? reply.body.value : null);
});

test("a value is sent as it is", async () => {
  expect(await sent(jsonReply(hidden))).toBe(JSON.stringify(hidden));
});
