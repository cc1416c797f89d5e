import { expect, it } from "vitest";
import { snippets } from "./snippets.ts";

it("creates calls with the server, the key, the model and a valid body", () => {
  const all = snippets("http://127.0.0.1:3210", "sk-gleaner-x", "demo");
  expect(all.map((snippet) => snippet.label)).toEqual(["curl", "JavaScript", "Python"]);
  for (const { text } of all) {
    expect(text).toContain("http://127.0.0.1:3210/v1");
    expect(text).toContain("sk-gleaner-x");
  }
  const body = /-d '(.*)'$/.exec(all[0]!.text)![1]!;
  expect(JSON.parse(body)).toMatchObject({ model: "demo", messages: [{ role: "user" }] });
});
