import type { GenericId, ValidatorJSON, Value } from "convex/values";
import type { Right } from "../../app/people/rights.ts";

/** A public function of the backend, as its module exports it. */
export type PublicFunction = {
  /** Such as "console/devices:list". */
  readonly name: string;
  readonly type: "query" | "mutation" | "action";
  readonly args: Extract<ValidatorJSON, { type: "object" }>["value"];
  /** The right that its builder asks for. Null: it takes no session. */
  readonly right: Right | null;
};

type Exported = {
  readonly isPublic?: boolean;
  readonly isQuery?: boolean;
  readonly isMutation?: boolean;
  readonly right?: Right;
  exportArgs(): string;
};

/** All public functions, from the modules themselves. */
export async function publicFunctions(): Promise<readonly PublicFunction[]> {
  const modules = import.meta.glob([
    "../*.ts",
    "../access/*.ts",
    "../console/**/*.ts",
    "!../schema.ts",
    "!../convex.config.ts",
  ]);
  const found: PublicFunction[] = [];
  for (const [path, load] of Object.entries(modules)) {
    const exported = (await load()) as Readonly<Record<string, Exported>>;
    for (const [name, value] of Object.entries(exported)) {
      if (value.isPublic !== true) continue;
      const args = JSON.parse(value.exportArgs()) as ValidatorJSON;
      if (args.type !== "object") throw new Error(`${path} ${name} takes any arguments`);
      found.push({
        name: `${path.replace(/^\.\.\//, "").replace(/\.ts$/, "")}:${name}`,
        type: value.isQuery === true ? "query" : value.isMutation === true ? "mutation" : "action",
        args: args.value,
        right: value.right ?? null,
      });
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Arguments that fit a function's validators. Optional ones are left out. `ids`: a row of each table. */
export function fittingArgs(
  { args }: PublicFunction,
  ids: Readonly<Record<string, GenericId<string>>>,
): Record<string, Value> {
  const required = Object.entries(args).filter(([, { optional }]) => !optional);
  return Object.fromEntries(required.map(([name, { fieldType }]) => [name, fitting(fieldType, ids)]));
}

function fitting(validator: ValidatorJSON, ids: Readonly<Record<string, GenericId<string>>>): Value {
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
    case "object": {
      const required = Object.entries(validator.value).filter(([, { optional }]) => !optional);
      return Object.fromEntries(required.map(([name, { fieldType }]) => [name, fitting(fieldType, ids)]));
    }
    case "union": {
      const choice = validator.value.find(({ type }) => type === "null") ?? validator.value[0];
      return choice === undefined ? null : fitting(choice, ids);
    }
    default:
      throw new Error("a validator of an unknown kind");
  }
}
