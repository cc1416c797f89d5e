import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { bodies, bodyNames, smallestOf } from "../../app/openapi/bodies.ts";
import { bodySchema } from "../../app/openapi/schema.ts";

/** Values of all types, so that each field accepts some and refuses others. */
const values: readonly unknown[] = [
  ...[null, true, false, 0, 1, -7, 2.5, 1e9, "", "zz", "auto", "text", "batch"],
  ...[[], ["zz"], [7], [{}], ["text"], {}, { type: "text" }, { zz: "1" }, { zz: 1 }],
];

const ajv = new Ajv2020({ strict: false, validateFormats: false });

describe.each(bodyNames)("the document's %s", (name) => {
  const { body, parse } = bodies[name];
  const smallest = smallestOf(body);
  const fits = ajv.compile(bodySchema(body));
  const isParsed = (value: object): boolean => parse(JSON.stringify(value)).kind === "parsed";

  it("has no field that the parser does not know", () => {
    expect(fits({ ...smallest, something_new: 1 })).toBe(false);
    expect(fits(smallest)).toBe(true);
  });

  it.each(Object.entries(body.fields))(
    "says of %s what the parser accepts",
    (field, { support, example, beside }) => {
      const withValue = (value: unknown): object => ({ ...smallest, ...beside, [field]: value });
      if (example !== undefined) expect(fits(withValue(example))).toBe(true);
      // A client that goes by the document may send all that the parser accepts.
      for (const value of values)
        if (isParsed(withValue(value))) expect([value, fits(withValue(value))]).toEqual([value, true]);
      if (support === "inert") return;
      const refusedByBoth = values.filter((value) => !isParsed(withValue(value)) && !fits(withValue(value)));
      expect(refusedByBoth.length).toBeGreaterThan(0);
    },
  );
});
