import { makeFunctionReference } from "convex/server";

type Table = "small" | "large";

/** References to the functions of bench/convex. */
export const api = {
  rows: {
    fill: makeFunctionReference<"mutation", { table: Table; from: number; count: number }, null>("rows:fill"),
    ten: makeFunctionReference<"query", { table: Table; group: string; from: number }, unknown[]>("rows:ten"),
  },
  notes: {
    write: makeFunctionReference<"mutation", { client: number; text: string }, null>("notes:write"),
  },
  jobs: {
    add: makeFunctionReference<"mutation", { lane: string; count: number }, null>("jobs:add"),
    claim: makeFunctionReference<"mutation", { lane: string }, string | null>("jobs:claim"),
    next: makeFunctionReference<"query", { lane: string }, { id: string; claims: number } | null>(
      "jobs:next",
    ),
  },
  topics: {
    publish: makeFunctionReference<"mutation", { name: string; edition: number }, null>("topics:publish"),
    edition: makeFunctionReference<"query", { name: string; reader: number }, number>("topics:edition"),
  },
};
