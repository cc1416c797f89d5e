import { expect, it } from "vitest";
import * as component from "../component/work.ts";
import { forward } from "../shared/forward.ts";
import * as work from "../shared/work.ts";

const { workerMutations, workerQueries, ...functions } = work;
const { experimental_reuseContext: reusesContext, ...componentFunctions } = component;
const names = Object.keys({ ...workerMutations, ...workerQueries }).sort();

it("an app that exports the module offers every worker function, and the component has each of them", () => {
  expect(Object.keys(functions).sort()).toEqual(names);
  expect(Object.keys(componentFunctions).sort()).toEqual(names);
  expect(reusesContext).toBe(true);
});

it.each(names)(
  "%s calls the component's function of the same name, with a hash for the key",
  async (name) => {
    const references = Object.fromEntries(names.map((each) => [each, `reference to ${each}`]));
    const target = { component: { work: references }, hashKey: async (key: string) => `hash of ${key}` };
    const forwarded = forward(workerMutations, workerQueries, target) as unknown as Record<string, Handled>;
    const run = async (reference: unknown, args: unknown): Promise<unknown> => [reference, args];
    const called = await forwarded[name]?._handler(
      { runMutation: run, runQuery: run },
      { key: "k", jobId: "j" },
    );
    expect(called).toEqual([`reference to ${name}`, { jobId: "j", keyHash: "hash of k" }]);
  },
);

type Handled = { readonly _handler: (ctx: object, args: object) => Promise<unknown> };
