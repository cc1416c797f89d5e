import type { ValidatorJSON } from "convex/values";
import type { Right } from "../../app/people/rights.ts";
import type { Args } from "./idPlaces.fixture.ts";

/** A public function of the backend, as its module exports it. */
export type PublicFunction = {
  /** Such as "console/devices:list". */
  readonly name: string;
  readonly type: "query" | "mutation" | "action";
  readonly args: Args;
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
