import { makeFunctionReference } from "convex/server";

type Table = "small" | "large";
type Ten = { table: Table; group: string; from: number };
type Note = { client: number; text: string };

/** References to the functions of bench/convex. */
export const api = {
  rows: {
    fill: makeFunctionReference<"mutation", { table: Table; from: number; count: number }, null>("rows:fill"),
    ten: makeFunctionReference<"query", Ten, unknown[]>("rows:ten"),
  },
  notes: {
    write: makeFunctionReference<"mutation", Note, null>("notes:write"),
  },
  fresh: {
    ten: makeFunctionReference<"query", Ten, unknown[]>("fresh:ten"),
    write: makeFunctionReference<"mutation", Note, null>("fresh:write"),
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
  waiting: {
    fetched: makeFunctionReference<"action", { url: string }, string>("waiting:fetched"),
  },
};
