import { describe, expect, it } from "vitest";
import type { Fields } from "../fields/field.ts";
import { type ApiBody, bodies, ollamaBodies, smallestOf } from "./bodies.ts";
import { type Schema, schemaOf } from "./schema.ts";

/** Values of all types. Each field refuses some of them, unless it is inert. */
const values: readonly unknown[] = [{ zz: 1 }, "", "zz", -7, 2.5, true, [7], [{ zz: 1 }], ["zz"]];

/** The names of a schema's own properties, in any of its forms, and those of its lists. */
function propertiesOf(schema: Schema): ReadonlyMap<string, readonly Schema[]> {
  const found = new Map<string, Schema[]>();
  for (const [name, inner] of Object.entries(
    (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>,
  ))
    found.set(name, [inner]);
  const forms = [schema["anyOf"] ?? [], schema["oneOf"] ?? [], schema["items"] ?? []].flat() as Schema[];
  for (const form of forms)
    for (const [name, inner] of propertiesOf(form)) found.set(name, [...(found.get(name) ?? []), ...inner]);
  return found;
}

/** The differences of a schema and a table. A table without the fields of an object takes any names in it. */
function differences(schema: Schema, fields: Fields, place = ""): readonly string[] {
  const properties = propertiesOf(schema);
  const read = Object.entries(fields).filter(([, { support }]) => support !== "inert");
  return [
    ...read.flatMap(([name]) => (properties.has(name) ? [] : [`nothing reads ${place}${name}`])),
    ...[...properties].flatMap(([name, forms]) => {
      const field = fields[name];
      if (field === undefined || field.support === "inert") return [`the table lacks ${place}${name}`];
      return field.fields === undefined
        ? []
        : differences({ anyOf: forms }, field.fields, `${place}${name}.`);
    }),
  ];
}

const all: Readonly<Record<string, ApiBody>> = { ...bodies, ...ollamaBodies };

describe.each(Object.entries(all))("%s", (_name, { body, parse }) => {
  const smallest = smallestOf(body);
  const send = (fields: object) => parse(JSON.stringify({ ...smallest, ...fields }));
  const plain = send({});

  it("is accepted with its required fields alone", () => {
    expect(plain.kind).toBe("parsed");
  });

  it("refuses a field that nobody knows", () => {
    expect(send({ something_new: 1 })).toMatchObject({
      kind: "refused",
      refusal: { status: 400, code: "unknown_parameter", param: "something_new" },
    });
  });

  it("has a schema for exactly the fields that are not inert", () => {
    const read = Object.entries(body.fields).filter(([, { support }]) => support !== "inert");
    expect(Object.keys(body.schema.shape).toSorted()).toEqual(read.map(([each]) => each).toSorted());
  });

  it("knows every field inside the objects that its schema reads, and no other", () => {
    expect(differences(schemaOf(body.schema), body.fields)).toEqual([]);
  });

  it.each(Object.entries(body.fields))("treats %s as its row says", (field, row) => {
    const sentWith = (value: unknown, beside = row.beside ?? {}) => send({ ...beside, [field]: value });
    const without = send(row.beside ?? {});
    if (row.support === "inert") {
      for (const value of [null, ...values]) expect(sentWith(value)).toEqual(plain);
      return;
    }
    const refused = values.flatMap((value) => {
      const parsed = sentWith(value);
      return parsed.kind === "refused" ? [parsed.refusal] : [];
    });
    expect(refused.length).toBeGreaterThan(0);
    for (const { param } of refused) expect(param).toMatch(new RegExp(`^${field}\\b`));
    if (row.support === "neutral") {
      expect(sentWith(null)).toEqual(plain);
      // A value that asks for nothing changes nothing.
      for (const value of values) {
        const parsed = sentWith(value);
        if (parsed.kind === "parsed") expect(parsed).toEqual(plain);
      }
      return;
    }
    const parsed = sentWith(row.example);
    expect(parsed.kind).toBe("parsed");
    // A required field is there in any case.
    if (!(field in smallest)) expect(parsed).not.toEqual(without);
  });
});
