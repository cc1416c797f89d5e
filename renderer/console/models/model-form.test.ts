import { describe, expect, it } from "vitest";
import { emptyForm, type ModelForm, parseForm, readEntry } from "./model-form.ts";

const form: ModelForm = {
  ...emptyForm,
  modelId: " qwen3-4b ",
  source: "https://models.example.org/qwen.gguf",
  sha256: "AB".repeat(32),
  sizeBytes: "2,497,281,120",
  contextTokens: "32768",
};

describe("a typed model", () => {
  it("is parsed with the spaces and commas that people type", () => {
    expect(parseForm(form)).toEqual({
      kind: "ok",
      entry: {
        modelId: "qwen3-4b",
        source: form.source,
        sha256: "ab".repeat(32),
        sizeBytes: 2_497_281_120,
        contextTokens: 32_768,
        licence: "",
        template: null,
        pieces: null,
      },
      price: { promptMicro: 20_000n, completionMicro: 100_000n },
    });
  });

  it.each([
    ["modelId", ""],
    ["source", "ftp://x"],
    ["sha256", "12"],
    ["sizeBytes", "much"],
    ["contextTokens", "0"],
    ["licence", "x".repeat(201)],
    ["prompt", "-1"],
    ["completion", "0.0005"],
  ] as const)("is refused with a wrong %s: %s", (field, typed) => {
    const parsed = parseForm({ ...form, [field]: typed });
    expect(parsed.kind === "wrong" && Object.keys(parsed.problems)).toEqual([field]);
  });

  it.each([
    ["0", 0n],
    ["0.5", 500n],
    ["1,250", 1_250_000n],
  ])("has a price of %s credits per 1,000 tokens", (prompt, promptMicro) => {
    expect(parseForm({ ...form, prompt })).toMatchObject({ price: { promptMicro } });
  });

  it("is refused if its pieces belong to another file", () => {
    const pieces = { pieceBytes: 4 * 2 ** 20, pieceHashes: ["ab".repeat(32)] };
    expect(parseForm({ ...form, pieces })).toMatchObject({
      problems: { sizeBytes: expect.stringContaining("pieces") as string },
    });
  });
});

describe("an entry file", () => {
  it("fills the form", () => {
    const parsed = parseForm(form);
    if (parsed.kind === "wrong") throw new Error("the form is wrong");
    expect(readEntry(JSON.stringify(parsed.entry))).toMatchObject({
      kind: "read",
      fields: { modelId: "qwen3-4b", sizeBytes: "2497281120", pieces: null },
    });
    const { template: _template, pieces: _pieces, ...short } = parsed.entry;
    expect(readEntry(JSON.stringify(short))).toMatchObject({
      kind: "read",
      fields: { modelId: "qwen3-4b", template: "" },
    });
  });

  const entry = {
    modelId: "m",
    source: "https://models.example.org/m.gguf",
    sha256: "ab".repeat(32),
    sizeBytes: 10,
    licence: "",
    contextTokens: 512,
  };

  it("tells the memory that the model needs, if the command told it", () => {
    const needs = (more: object) => readEntry(JSON.stringify({ ...entry, ...more }));
    expect(needs({ needsBytes: 500_000_000 })).toMatchObject({ needsBytes: 500_000_000 });
    expect(needs({})).toMatchObject({ needsBytes: null });
    expect(needs({ needsBytes: "much" })).toMatchObject({ needsBytes: null });
  });

  it.each([
    ["", "from { to }"],
    ["null", "from { to }"],
    ["not json", "from { to }"],
    [JSON.stringify(entry).slice(0, -1), "from { to }"],
    ["[]", "“modelId” is missing or wrong"],
    ['{"modelId": 1}', "“modelId” is missing or wrong"],
    [JSON.stringify({ ...entry, source: "ftp://x" }), "“source” is missing or wrong"],
    [
      JSON.stringify({ ...entry, pieces: { pieceBytes: 65_536, pieceHashes: [] } }),
      "belong to a file of another size",
    ],
  ])("is refused, and says why: %s", (text, why) => {
    expect(readEntry(text)).toEqual({ kind: "wrong", why: expect.stringContaining(why) as string });
  });
});
