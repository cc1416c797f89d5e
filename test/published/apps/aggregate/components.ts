import type { ComponentApi as Aggregate } from "@convex-dev/aggregate/_generated/component.js";
import type { ComponentApi as Migrations } from "@convex-dev/migrations/_generated/component.js";
import { componentsGeneric } from "convex/server";

export const components = componentsGeneric() as unknown as {
  readonly byScore: Aggregate<"byScore">;
  readonly byPlayer: Aggregate<"byPlayer">;
  readonly photos: Aggregate<"photos">;
  readonly songs: Aggregate<"songs">;
  readonly latencies: Aggregate<"latencies">;
  readonly migrations: Migrations<"migrations">;
};
