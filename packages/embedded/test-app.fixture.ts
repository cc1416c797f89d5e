import { join } from "node:path";
import {
  anyApi,
  type ApiFromModules,
  makeFunctionReference,
  type PaginationOptions,
  type PaginationResult,
} from "convex/server";
import type { GenericId, Value } from "convex/values";
import type * as blocking from "./fixtures/test-app/blocking.ts";
import type * as counters from "./fixtures/test-app/counters.ts";
import type * as differences from "./fixtures/test-app/differences.ts";
import type * as exhausting from "./fixtures/test-app/exhausting.ts";
import type * as hostile from "./fixtures/test-app/hostile.ts";
import type * as later from "./fixtures/test-app/later.ts";
import type * as mail from "./fixtures/test-app/mail.ts";
import type * as messages from "./fixtures/test-app/messages.ts";
import type * as misuse from "./fixtures/test-app/misuse.ts";
import type * as nested from "./fixtures/test-app/nested.ts";
import type * as nodeActions from "./fixtures/test-app/nodeActions.ts";
import type * as nodeCallers from "./fixtures/test-app/nodeCallers.ts";
import type * as passwords from "./fixtures/test-app/passwords.ts";
import type * as printing from "./fixtures/test-app/printing.ts";
import type * as reused from "./fixtures/test-app/reused.ts";
import type * as search from "./fixtures/test-app/search.ts";
import type * as things from "./fixtures/test-app/things.ts";
import type * as values from "./fixtures/test-app/values.ts";
import type * as vectors from "./fixtures/test-app/vectors.ts";
import type * as world from "./fixtures/test-app/world.ts";
import type * as worlds from "./fixtures/test-app/worlds.ts";

type Modules = {
  blocking: typeof blocking;
  counters: typeof counters;
  differences: typeof differences;
  exhausting: typeof exhausting;
  hostile: typeof hostile;
  later: typeof later;
  mail: typeof mail;
  messages: typeof messages;
  misuse: typeof misuse;
  nested: typeof nested;
  reused: typeof reused;
  search: typeof search;
  vectors: typeof vectors;
  passwords: typeof passwords;
  printing: typeof printing;
  nodeActions: typeof nodeActions;
  nodeCallers: typeof nodeCallers;
  things: typeof things;
  values: typeof values;
  world: typeof world;
  worlds: typeof worlds;
};

/** A Convex app for tests of clients. The conformance suite pushes it to other deployments. */
export const testApp = join(import.meta.dirname, "fixtures/test-app");

/** Modules with types taken from their files, as codegen does. */
export const modules = anyApi as unknown as ApiFromModules<Modules>;

/** Its functions by name, as codegen would write them. */
export const api = {
  messages: {
    list: makeFunctionReference<"query", { channel: string }, string[]>("messages:list"),
    listWithRun: makeFunctionReference<"query", { channel: string }, { count: number; run: number }>(
      "messages:listWithRun",
    ),
    page: makeFunctionReference<
      "query",
      { channel: string; paginationOpts: PaginationOptions },
      PaginationResult<{ n: number; _id: GenericId<"messages"> }>
    >("messages:page"),
    send: makeFunctionReference<
      "mutation",
      { channel: string; body: string; n?: number },
      GenericId<"messages">
    >("messages:send"),
    sendMany: makeFunctionReference<"mutation", { channel: string; count: number; size?: number }, null>(
      "messages:sendMany",
    ),
    remove: makeFunctionReference<"mutation", { id: GenericId<"messages"> }, null>("messages:remove"),
  },
  counters: {
    get: makeFunctionReference<"query", { name: string }, number>("counters:get"),
    increment: makeFunctionReference<"mutation", { name: string }, number>("counters:increment"),
    incrementTwice: makeFunctionReference<"action", { name: string }, number>("counters:incrementTwice"),
    secretGet: makeFunctionReference<"query", { name: string }, number>("counters:secretGet"),
    reset: makeFunctionReference<"mutation", { name: string }, null>("counters:reset"),
  },
  values: {
    echo: makeFunctionReference<"query", { value: Value }, Value>("values:echo"),
    strict: makeFunctionReference<"query", { count: Value; tag?: Value }, number>("values:strict"),
    wrongReturn: makeFunctionReference<"query", Record<string, never>, string>("values:wrongReturn"),
    fail: makeFunctionReference<"query", { message: string }, never>("values:fail"),
    failWithData: makeFunctionReference<"mutation", { data: Value }, never>("values:failWithData"),
    writeThenFail: makeFunctionReference<"mutation", { channel: string }, never>("values:writeThenFail"),
    whoami: makeFunctionReference<"query", Record<string, never>, string | null>("values:whoami"),
    environment: makeFunctionReference<"query", { name: string }, string | null>("values:environment"),
  },
  later: {
    schedule: makeFunctionReference<
      "mutation",
      { channel: string; body: string; delayMs: number },
      GenericId<"_scheduled_functions">
    >("later:schedule"),
    scheduleThenFail: makeFunctionReference<"mutation", { channel: string }, never>("later:scheduleThenFail"),
    cancel: makeFunctionReference<"mutation", { id: GenericId<"_scheduled_functions"> }, null>(
      "later:cancel",
    ),
    state: makeFunctionReference<"query", { id: GenericId<"_scheduled_functions"> }, string | null>(
      "later:state",
    ),
  },
};
