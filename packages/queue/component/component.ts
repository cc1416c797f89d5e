import type {
  ApiFromModules,
  FilterApi,
  FunctionArgs,
  FunctionReference,
  FunctionReturnType,
} from "convex/server";
import type * as batches from "./batches.ts";
import type * as deadLetters from "./deadLetters.ts";
import type * as events from "./events.ts";
import type * as jobs from "./jobs.ts";
import type * as lanes from "./lanes.ts";
import type * as limits from "./limits.ts";
import type * as recurring from "./recurring.ts";
import type * as settings from "./settings.ts";
import type * as work from "./work.ts";
import type * as workers from "./workers.ts";

type Api = FilterApi<
  ApiFromModules<{
    batches: typeof batches;
    deadLetters: typeof deadLetters;
    events: typeof events;
    jobs: typeof jobs;
    lanes: typeof lanes;
    limits: typeof limits;
    recurring: typeof recurring;
    settings: typeof settings;
    work: typeof work;
    workers: typeof workers;
  }>,
  FunctionReference<"query" | "mutation">
>;

/** A component's public functions are internal to the app that installs it. */
type Installed<Reference, Name extends string | undefined> =
  Reference extends FunctionReference<infer Type, "public", infer Args, infer Result>
    ? FunctionReference<Type, "internal", Args, Result, Name>
    : never;

/** The type of `components.queue`. Convex's code generator looks for it under this name. */
export type ComponentApi<Name extends string | undefined = string | undefined> = {
  readonly [Module in keyof Api]: {
    readonly [Function in keyof Api[Module]]: Installed<Api[Module][Function], Name>;
  };
};
export type QueueComponent = ComponentApi;

/** A reader's position in a job's text: the last chunk that it received. */
export type StreamPosition = NonNullable<FunctionArgs<QueueComponent["jobs"]["watch"]>["after"]>;
/** A job's state, and its text after a position. */
export type WatchView = FunctionReturnType<QueueComponent["jobs"]["watch"]>;
