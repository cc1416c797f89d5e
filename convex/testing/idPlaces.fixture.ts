import type { GenericId, ValidatorJSON, Value } from "convex/values";

/** Ids by their tables. */
export type Ids = Readonly<Record<string, GenericId<string>>>;

/** A function's arguments, as its module exports them. */
export type Args = Extract<ValidatorJSON, { type: "object" }>["value"];

/** A place of an id in a function's arguments: itself, or inside of an array, an object, a record or a union. */
export type IdPlace = {
  /** Such as "chosen.deviceIds[]". */
  readonly path: string;
  readonly table: string;
  /** Arguments with this id there. All other ids are from `ids`, and other optional fields are left out. */
  readonly args: (id: string, ids: Ids) => Record<string, Value>;
};

/** All places of ids in a function's arguments. */
export function idPlaces(args: Args): readonly IdPlace[] {
  return inFields(args, "").map(({ path, table, fill }) => ({
    path,
    table,
    args: (id, ids) => fill(id, ids) as Record<string, Value>,
  }));
}

/** Arguments that fit the validators. Optional ones are left out. `ids`: a row of each table. */
export function fittingArgs({ args }: { readonly args: Args }, ids: Ids): Record<string, Value> {
  const required = Object.entries(args).filter(([, { optional }]) => !optional);
  return Object.fromEntries(required.map(([name, { fieldType }]) => [name, fitting(fieldType, ids)]));
}

type Inner = Pick<IdPlace, "path" | "table"> & {
  /** A value with the id at the place. */
  readonly fill: (id: string, ids: Ids) => Value;
};

function inFields(fields: Args, before: string): readonly Inner[] {
  return Object.entries(fields).flatMap(([name, { fieldType }]) => {
    const path = before === "" ? name : `${before}.${name}`;
    return inValue(fieldType, path).map(({ fill, ...place }) => ({
      ...place,
      fill: (id: string, ids: Ids) => ({ ...fittingArgs({ args: fields }, ids), [name]: fill(id, ids) }),
    }));
  });
}

function inValue(validator: ValidatorJSON, path: string): readonly Inner[] {
  switch (validator.type) {
    case "id":
      return [{ path, table: validator.tableName, fill: (id) => id }];
    case "array":
      return inValue(validator.value, `${path}[]`).map(({ fill, ...place }) => ({
        ...place,
        fill: (id, ids) => [fill(id, ids)],
      }));
    case "object":
      return inFields(validator.value, path);
    case "record": {
      const { keys, values } = validator;
      const asKey = inValue(keys, `${path}{}`).map(({ fill, ...place }) => ({
        ...place,
        fill: (id: string, ids: Ids) => ({ [fill(id, ids) as string]: fitting(values.fieldType, ids) }),
      }));
      const asValue = inValue(values.fieldType, `${path}{}`).map(({ fill, ...place }) => ({
        ...place,
        fill: (id: string, ids: Ids) => ({ [fitting(keys, ids) as string]: fill(id, ids) }),
      }));
      return [...asKey, ...asValue];
    }
    case "union":
      return validator.value.flatMap((member) => inValue(member, path));
    default:
      return [];
  }
}

function fitting(validator: ValidatorJSON, ids: Ids): Value {
  switch (validator.type) {
    case "null":
      return null;
    case "number":
      return 1;
    case "bigint":
      return 1n;
    case "boolean":
      return true;
    case "string":
      return "a".repeat(64);
    case "bytes":
      return new ArrayBuffer(1);
    case "any":
      return null;
    case "literal":
      return validator.value;
    case "id":
      return ids[validator.tableName] ?? "";
    case "array":
      return [];
    case "record":
      return {};
    case "object":
      return fittingArgs({ args: validator.value }, ids);
    case "union": {
      const choice = validator.value.find(({ type }) => type === "null") ?? validator.value[0];
      return choice === undefined ? null : fitting(choice, ids);
    }
    default:
      throw new Error("a validator of an unknown kind");
  }
}
