import { beforeAll, describe, expect, it } from "vitest";
import { Libraries } from "../load/libraries.ts";
import type { LoadedModel } from "../load/load-model.ts";
import { ModelSlot } from "../load/model-slot.ts";
import { demoModel, planOf } from "../runner.fixture.ts";
import { ownTokens } from "./own-tokens.ts";
import { plainPrompt } from "./prompt.ts";
import { vocabularySize } from "./vocabulary.ts";

const text =
  "The ferry to the island leaves at 07:40 and at 18:15. Tickets cost 12 € for adults, and children travel for nothing. " +
  "Ανδρέας naïvely wrote: “It’s 9 * 7 = 63”, 🐦 and left.";

let loaded: LoadedModel;

beforeAll(async () => {
  const model = await demoModel();
  const slot = new ModelSlot(new Libraries());
  const load = await slot.load(model, planOf(model), new AbortController().signal);
  if (load.kind !== "loaded") throw new Error(JSON.stringify(load));
  ({ loaded } = load);
});

const idsOf = (read: string): readonly number[] => plainPrompt(loaded.model, read).tokens;
const own = (ids: readonly number[]): readonly number[] | null => ownTokens(loaded.model, ids);

describe("ids of tokens", () => {
  it("that the model's tokenizer has made are taken as they are", () => {
    expect(own(idsOf(text))).toEqual(idsOf(text));
    expect(own(idsOf("Hi"))).toEqual(idsOf("Hi"));
  });

  it("may be any piece of a text", () => {
    const ids = idsOf(text);
    for (let start = 0; start < ids.length; start += 3) {
      for (let end = start + 1; end <= ids.length; end += 5) {
        expect(own(ids.slice(start, end)), `${String(start)} to ${String(end)}`).not.toBeNull();
      }
    }
  });

  it("may have control tokens between texts", () => {
    const { bos, eos } = loaded.model.tokens;
    const control = [bos, eos].flatMap((token) => (token === null ? [] : [token]));
    expect(control.length).toBeGreaterThan(0);
    const ids = [...control, ...idsOf(text), ...control, ...idsOf(text), ...control];
    expect(own(ids)).toEqual(ids);
  });

  it("are refused if the model has no such token", () => {
    const size = vocabularySize(loaded.model);
    expect(own([5, size - 1])).not.toBeNull();
    expect(own([5, size])).toBeNull();
    expect(own([9_999_999])).toBeNull();
  });

  it("of another tokenizer are refused", () => {
    const size = vocabularySize(loaded.model);
    const ids = idsOf(text);
    // Another vocabulary has the same words at other places.
    for (const shift of [1, 7, 100, 333]) {
      const shifted = ids.map((id) => (id + shift) % size);
      expect(own(shifted), String(shift)).toBeNull();
    }
  });
});
