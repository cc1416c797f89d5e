import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSampler, type TaskName, taskNames, taskShare } from "./sampler.ts";

function hashOf(seed: number, count: number, only?: TaskName): string {
  const sample = createSampler(seed);
  const hash = createHash("sha256");
  for (let left = count; left > 0; left -= 1) {
    const { task, prompt, answer } = sample(only);
    hash.update(`${task}\t${JSON.stringify(prompt)}\t${JSON.stringify(answer)}\n`);
  }
  return hash.digest("hex");
}

// The model was trained on exactly this text. Another hash means another corpus, and the shipped model's figures
// would no longer match the generator.
describe("the corpus that the model was trained on", () => {
  it.each([
    [0, 1, "026b57c9a912e3a952b32523a9985d1cb8d5af068e3f012748b423246da2e39d"],
    [7, 40, "1149331a8297632cc4b8cf78d6db9bf700f7287ee9cdf5646525a02b4d2a0aaa"],
    [11, 5_000, "9ef5194d0160c8364c6ca40e641cf00bf37373bad2aa47a16034085b2996f86c"],
    [999, 2_000, "b23bc07bf1cd08e77e9f79b28dd363c3332ebe70ec0b90a91a7cdc8ee92aff2f"],
    [4_242, 1_000, "752a17db6d6a5e4a4d38c38b0ae0cb211705cdb7d8b71153c5685c03547eeee8"],
    [2 ** 32 - 1, 3_000, "d92f1c6855c814c6992654471515e3ee35a6181dfd12498e22677dfc3de0fc1f"],
  ])("the corpus has the golden hash for seed %i, %i samples", (seed, count, hash) => {
    expect(hashOf(seed, count)).toBe(hash);
  });

  it("the corpus has the golden hash for the whole training set", () => {
    expect(hashOf(101, 220_000)).toBe("c16fe9d98dccdff7126c88b8e17dfa4b4ab1cf06a08aab49d7611bc3b1ca7f89");
  });
});

describe("a sample of a given task", () => {
  const goldenStart: Record<TaskName, string> = {
    greet: "40cd2e209d75cb57",
    who: "15a6a6fc2484bca3",
    help: "49bb5a85c62b8190",
    thanks: "d6bead4e2afc6f55",
    bye: "87f328b45e322de0",
    sentiment: "0b29e8503131525f",
    topic: "d77aa8029675c86e",
    extract: "d49da56719a6b77e",
    json: "16455870f700acd5",
    summarise: "ad049342169d65cc",
    add: "a2375c09e9e9e6f6",
    sub: "bd8fcdef872cc9d4",
    mul: "44fd0fc24537bd88",
    capital: "933cb15ca0e7780e",
    opposite: "ef30b120b40c4f82",
    list: "c7cb672d5dd54061",
    bullets: "fe0348ace71046c5",
    define: "b51e119a9d96dc45",
    polite: "302b0b79088383f4",
    where: "4bb69acae2e269e0",
    mail: "b9dd16e636ebf7c6",
    nextday: "3e98db12cefb0362",
    keywords: "3cb4efbe01256a72",
    repeat: "d88ef2e1b8c7bf51",
    unknown: "828579c7bf93caa3",
  };

  it.each(taskNames)("the corpus has the golden hash for the task %s", (name) => {
    expect(hashOf(5, 200, name).slice(0, 16)).toBe(goldenStart[name]);
  });
});

describe("every sample", () => {
  const sample = createSampler(31);
  const drawn = Array.from({ length: 3_000 }, () => sample());

  it("every sample has a prompt and an answer without gaps from a template", () => {
    for (const { prompt, answer } of drawn) {
      expect(prompt).not.toMatch(/undefined|NaN|\{[ncpy]\}/);
      expect(answer).toMatch(/\S/);
      expect(answer).not.toMatch(/undefined|NaN/);
    }
  });

  it("every JSON question has a JSON answer", () => {
    for (const { task, answer } of drawn)
      if (task === "json") expect(Object.keys(JSON.parse(answer) as object)).toHaveLength(2);
  });

  it("every extraction asks for a value that the text contains", () => {
    for (const { task, prompt, answer } of drawn) if (task === "extract") expect(prompt).toContain(answer);
  });

  it("each task is drawn about as often as its weight says", () => {
    for (const name of taskNames) {
      const share = drawn.filter(({ task }) => task === name).length / drawn.length;
      expect(Math.abs(share - taskShare(name))).toBeLessThan(0.03);
    }
  });
});
