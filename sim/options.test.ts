import { expect, it } from "vitest";
import { parseOptions } from "./options.ts";

it("the default is a fleet of a million in all scenarios", () => {
  expect(parseOptions([])).toMatchObject({
    kind: "run",
    options: {
      devices: 1_000_000,
      scenarios: ["light", "bursts", "hot-prefix", "batch"],
      json: false,
      svg: null,
    },
  });
  expect(parseOptions(["--curves"])).toMatchObject({ options: { svg: "docs/images" } });
  expect(parseOptions(["--svg", "x"])).toMatchObject({ options: { svg: "x" } });
});

it.each([
  ["--devices", "9"],
  ["--devices", "1e3"],
  ["--devices", "1000001"],
  ["--jobs", "-1"],
  ["--load", "1"],
  ["--load", ""],
  ["--seed", "x"],
  ["--seeds", "0"],
  ["--scenario", "quiet"],
])("the command refuses %s %s, and says which values are allowed", (name, value) => {
  expect(parseOptions([`${name}=${value}`])).toMatchObject({
    kind: "wrong",
    message: expect.stringContaining(`${name} takes`),
  });
});

it("fleets with dishonest devices are small, and each device has many jobs", () => {
  expect(parseOptions(["trust", "--json"])).toMatchObject({
    options: { trust: true, devices: 1_000, jobs: 500, json: true },
  });
  expect(parseOptions([])).toMatchObject({ options: { trust: false, jobs: 6_000 } });
  expect(parseOptions(["trust", "--jobs", "200"])).toMatchObject({ kind: "wrong" });
});

it("the command refuses unknown options and words", () => {
  expect(parseOptions(["--fleet", "3"])).toMatchObject({ kind: "wrong" });
  for (const words of [["truth"], ["trust", "me"], ["trust", "trust"]]) {
    expect(parseOptions(words)).toMatchObject({ kind: "wrong", message: expect.stringContaining("only") });
  }
});
