import { describe, expect, it } from "vitest";
import { needsText, parseNeeds } from "./parse-needs.ts";
import { gigabytesOf, mebibytesOf, needLimits, needWords, tighten } from "./requirements.ts";

describe("tighten", () => {
  const key = { groups: ["lab", "office"], tags: ["owned"], memoryGb: 16, vramGb: 6, dataClass: "medical" };

  it("adds a request's requirements to its key's", () => {
    expect(tighten(key, {})).toEqual({ kind: "ok", needs: key });
    expect(tighten({}, key)).toEqual({ kind: "ok", needs: key });
    const more = { gpu: true, memoryGb: 32, vramGb: 8 };
    const asked = { groups: ["lab"], tags: ["eu", "owned"], ...more, dataClass: "medical" };
    expect(tighten(key, asked)).toEqual({ kind: "ok", needs: { ...asked, tags: ["eu", "owned"] } });
    expect(tighten({}, {})).toEqual({ kind: "ok", needs: {} });
  });

  it("never takes any away", () => {
    expect(tighten(key, { memoryGb: 1, vramGb: 1, gpu: false, tags: [] })).toEqual({
      kind: "ok",
      needs: key,
    });
    expect(tighten({ gpu: true }, { gpu: false })).toEqual({ kind: "ok", needs: { gpu: true } });
    expect(tighten(key, { groups: ["lab", "home"] })).toMatchObject({ kind: "looser" });
    expect(tighten(key, { dataClass: "public" })).toMatchObject({ kind: "looser" });
  });
});

describe("parseNeeds", () => {
  it("reads pairs, with escaped names", () => {
    expect(
      parseNeeds(
        "group=second%20floor&group=the+lab&tag=caf%C3%A9&gpu=yes&memory=16&vram=8&data-class=medical",
      ),
    ).toEqual({
      groups: ["second floor", "the lab"],
      tags: ["café"],
      gpu: true,
      memoryGb: 16,
      vramGb: 8,
      dataClass: "medical",
    });
    expect(parseNeeds("")).toEqual({});
  });

  it("reads what needsText writes", () => {
    const text = "group=second%20floor&group=a%26b&tag=caf%C3%A9&gpu=yes&memory=16&vram=8&data-class=medical";
    const needs = parseNeeds(text);
    expect(typeof needs === "string" ? needs : needsText(needs)).toBe(text);
    expect(needsText({})).toBe("");
  });

  it.each([
    ["speed=9", /only$/],
    ["gpu=no", /gpu=yes/],
    ["tag=%C3", /pairs/],
    ["gpu=yes&gpu=yes", /once/],
    ["memory=0", /whole number/],
    ["memory=1.5", /whole number/],
    ["memory=4097", /whole number/],
    ["vram=0", /whole number .* as vram/],
    ["vram=8&vram=8", /once/],
    ["tag=", /1 to 120/],
    [`tag=${"x".repeat(121)}`, /1 to 120/],
    [Array.from({ length: 9 }, (_, at) => `tag=${String(at)}`).join("&"), /8 groups/],
    ["tag=a&".repeat(400), /2048 characters/],
  ])("refuses %s", (header, why) => {
    expect(parseNeeds(header)).toMatch(why);
  });
});

it("counts memory in decimal gigabytes, as computers are sold", () => {
  // A laptop with 16 GiB reports what its kernel leaves of them.
  expect(mebibytesOf(16)).toBeLessThan(15_700);
});

it("finds the gigabytes of each requirement again", () => {
  for (let gigabytes = 1; gigabytes <= needLimits.memoryGb; gigabytes += 1)
    expect(gigabytesOf(mebibytesOf(gigabytes))).toBe(gigabytes);
});

it("says requirements in words", () => {
  expect(
    needWords({ groups: ["a", "b"], tags: ["c"], gpu: true, memoryGb: 8, vramGb: 6, dataClass: "d" }),
  ).toEqual(["group a or b", "tag c", "GPU", "8 GB", "6 GB of GPU memory", "data class d"]);
});
