import fc from "fast-check";
import { expect, it } from "vitest";
import { canonical, laneName } from "./name.ts";

const names = fc.array(fc.string({ maxLength: 3 }), { maxLength: 4 });
const requirements = fc.record(
  {
    model: fc.string({ maxLength: 4 }),
    memoryMb: fc.nat(3),
    gpu: fc.boolean(),
    contextTokens: fc.nat(3),
    tags: names,
    groups: names,
    dataClass: fc.string({ maxLength: 4 }),
  },
  { requiredKeys: [] },
);

it("is equal for equal requirements in any order", () => {
  fc.assert(
    fc.property(requirements, (one) => {
      const mixed = Object.fromEntries(Object.entries(one).reverse());
      const other = {
        ...mixed,
        ...(one.tags === undefined ? {} : { tags: [...one.tags, ...one.tags].reverse() }),
      };
      expect(laneName("k", canonical(other))).toBe(laneName("k", canonical(one)));
      expect(canonical(canonical(one))).toEqual(canonical(one));
    }),
  );
});

it("omits fields that require nothing, and no others", () => {
  expect(canonical({ gpu: false, memoryMb: 0, contextTokens: 0, tags: [], groups: [] })).toEqual({});
  expect(laneName("a", canonical({ tags: ["b"] }))).not.toBe(laneName("a", canonical({ groups: ["b"] })));
  expect(laneName("a", {})).not.toBe(laneName("b", {}));
});
