/// <reference types="vite/client" />
import crons from "@convex-dev/crons/test";
import type { GenericSchema, SchemaDefinition } from "convex/server";
import type { TestConvex } from "convex-test";
import schema from "./component/schema.ts";

const modules = {
  // TypeScript in the repository, JavaScript in the published package.
  ...import.meta.glob(["./component/**/*.{ts,js}", "!./**/*.{d,test,fixture}.ts"]),
  // convex-test finds the root of a component by this path.
  "./component/_generated/api.ts": () => Promise.resolve({}),
};

/** Installs the queue in an app under convex-test. */
export function register(
  t: TestConvex<SchemaDefinition<GenericSchema, boolean>>,
  name: string = "queue",
): void {
  t.registerComponent(name, schema, modules);
  crons.register(t, `${name}/crons`);
}
