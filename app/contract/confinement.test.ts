import { expect, it } from "vitest";
import { type Confinement, confinementGaps, describeConfinement, sayConfinement } from "./confinement.ts";
import { confinementOrder, confinementVariable } from "./runner-start.ts";

const found: Confinement = [
  { part: "files", confined: "partly", why: "it can read" },
  { part: "network", confined: "no", why: "no filter" },
  { part: "programs", confined: "yes", why: null },
  { part: "systemCalls", confined: "no", why: "no filter" },
];

it("says each part in a word, and each gap once", () => {
  expect(sayConfinement(found)).toBe("files partly, network no, other programs yes, system calls no");
  expect(confinementGaps(found)).toEqual(["it can read", "no filter"]);
});

it("describes each gap in a sentence, and says if nothing is known yet", () => {
  expect(describeConfinement(found).gaps).toEqual(["It can read.", "No filter."]);
  expect(describeConfinement(null)).toMatchObject({ value: expect.stringContaining("first time"), gaps: [] });
});

it("reads its own order again", () => {
  const order = { read: ["/a b", '/c"d'], cache: "/e", bubblewrap: "/usr/bin/bwrap", off: true };
  expect(confinementOrder(confinementVariable(order))).toEqual(order);
});

it.each(["", "null", "[]", "no json", '{"read":"/","cache":1,"bubblewrap":{},"off":"yes"}', '{"read":[1]}'])(
  "opens nothing for the order %s",
  (text) => {
    const nothing = { read: [], cache: null, bubblewrap: null, off: false };
    expect(confinementOrder({ GLEANER_CONFINEMENT: text })).toEqual(nothing);
  },
);
