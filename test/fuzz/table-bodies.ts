import fc from "fast-check";
import { bodies, type BodyName, bodyNames, smallestOf } from "../../app/openapi/bodies.ts";
import { hostileJson, hostileText, spoiled } from "./hostile.ts";
import type { Json } from "./target.ts";

/** Bodies of every call, made of the tables of their fields: examples, hostile values, and names that are slightly wrong. */
export const tableBodies = Object.fromEntries(bodyNames.map((name) => [name, tableBody(name)])) as Readonly<
  Record<BodyName, fc.Arbitrary<Json>>
>;

function tableBody(name: BodyName): fc.Arbitrary<Json> {
  const { body } = bodies[name];
  const smallest = Object.entries(smallestOf(body)) as [string, Json][];
  const field = fc
    .tuple(
      fc.constantFrom(...Object.entries(body.fields)),
      hostileJson,
      fc.integer({ min: 0, max: 9 }),
      hostileText,
    )
    .map(([[known, { example = null, beside = {} }], wrong, dice, text]): [string, Json][] => {
      if (dice === 0) return [[text, wrong]];
      if (dice === 1) return [[`${known}s`, wrong]];
      return dice < 6
        ? [...(Object.entries(beside) as [string, Json][]), [known, example as Json]]
        : [[known, wrong]];
    });
  const whole = fc
    .array(field, { maxLength: 6 })
    .map((fields): Json => Object.fromEntries([...smallest, ...fields.flat()]));
  return fc.oneof(whole, spoiled(whole));
}
