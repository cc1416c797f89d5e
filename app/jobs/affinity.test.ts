import { expect, it } from "vitest";
import { affinityOf as affinityOfWork } from "./affinity.ts";
import type { ChatMessage } from "./chat.ts";

const sampling = { maxTokens: 1, temperature: 0, topP: 1, seed: 1, stop: [] };
const affinityOf = (modelId: string, messages: readonly ChatMessage[], owner = "key 1") =>
  affinityOfWork(modelId, owner, { kind: "chat", request: { ...sampling, messages } });
const ofPrompt = (prompt: string) =>
  affinityOfWork("m", "key 1", { kind: "completion", request: { ...sampling, prompt } });

const system = (content: string): ChatMessage => ({ role: "system", content });
const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });

it("gives all turns of a conversation the same affinity", () => {
  const first = [system("Be brief."), user("Name a color.")];
  const second = [...first, assistant("Blue."), user("Another.")];
  expect(affinityOf("m", second)).toBe(affinityOf("m", first));
});

it("gives all questions under one long system prompt the same affinity", () => {
  const rules = system("You classify letters. ".repeat(60));
  expect(affinityOf("m", [rules, user("a")])).toBe(affinityOf("m", [rules, user("b")]));
});

it("gives different models, prompts and roles different affinities", () => {
  const all = [
    affinityOf("m", [user("a")]),
    affinityOf("n", [user("a")]),
    affinityOf("m", [user("b")]),
    affinityOf("m", [system("a")]),
    affinityOf("m", [system("Be brief."), user("a")]),
    affinityOf("m", []),
  ];
  expect(new Set(all).size).toBe(all.length);
});

it("gives the same prompt of another owner another affinity, since the cache is not shared", () => {
  expect(affinityOf("m", [user("a")], "key 2")).not.toBe(affinityOf("m", [user("a")]));
});

it("keeps an affinity short and the prompt out of it", () => {
  const affinity = affinityOf("m", [user("a very private question ".repeat(1_000))]);
  expect(affinity).not.toContain("private");
  expect(affinity?.length).toBeLessThan(20);
});

it("gives texts with the same start the same affinity, and embeddings none", () => {
  const rules = "You classify letters. ".repeat(60);
  expect(ofPrompt(`${rules}a`)).toBe(ofPrompt(`${rules}b`));
  expect(ofPrompt("a")).not.toBe(ofPrompt("b"));
  expect(affinityOfWork("m", "key 1", { kind: "embedding", request: { inputs: ["a"] } })).toBeNull();
});
