import { expect, it } from "vitest";
import { parseRequirements } from "./parse-requirements.ts";

const empty = { groups: "", tags: " , ", gpu: false, memoryGb: "", vramGb: "", dataClass: " " };

it("reads empty fields as no requirements", () => {
  expect(parseRequirements(empty)).toEqual({ kind: "ok", requirements: {} });
});

it("reads names, memory and the rest", () => {
  const typed = {
    groups: "lab, office",
    tags: "encrypted disk",
    gpu: true,
    memoryGb: " 16 ",
    vramGb: "8",
    dataClass: "medical",
  };
  expect(parseRequirements(typed)).toEqual({
    kind: "ok",
    requirements: {
      groups: ["lab", "office"],
      tags: ["encrypted disk"],
      gpu: true,
      memoryGb: 16,
      vramGb: 8,
      dataClass: "medical",
    },
  });
});

it.each([
  ["groups", "a,b,c,d,e,f,g,h,i"],
  ["tags", "x".repeat(121)],
  ["memoryGb", "0"],
  ["memoryGb", "4097"],
  ["memoryGb", "1.5"],
  ["vramGb", "0"],
  ["vramGb", "8 GB"],
  ["dataClass", "x".repeat(121)],
])("refuses %s of %s", (field, value) => {
  expect(parseRequirements({ ...empty, [field]: value })).toMatchObject({ kind: "wrong", field });
});
