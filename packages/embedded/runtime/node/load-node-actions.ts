import { identifierOf } from "../../names/function-path.ts";
import { appComponent } from "../../names/table-name.ts";
import type { ValidatorJson } from "../checks/validator-json.ts";
import type { RegisteredFunction } from "../contract/registered-function.ts";
import { describeCopy } from "../execution/function-failure.ts";
import { nodeSourceMaps } from "../source/bundled-script.ts";
import { createStackMapper } from "../source/stack-trace.ts";
import type { AnalyzedFunction } from "./messages.ts";
import { NodeActions, type NodeActionsOptions } from "./node-actions.ts";

/** The actions of the "use node" modules, with what runs them. */
export type LoadedNodeActions = {
  readonly runner: NodeActions;
  readonly functions: readonly RegisteredFunction[];
};

type LoadOutcome =
  | ({ readonly kind: "loaded" } & LoadedNodeActions)
  | {
      readonly kind: "failed";
      readonly message: string;
      /** Whether a module failed after it had read environment variables, so that other values may help. */
      readonly needsVariables: boolean;
    };

/** Evaluates the "use node" modules in a process of their own, to read what they define. */
export async function loadNodeActions(options: NodeActionsOptions): Promise<LoadOutcome> {
  const runner = new NodeActions(options);
  const analysis = await runner.analyze();
  switch (analysis.kind) {
    case "ended":
      return { kind: "failed", message: `"use node" modules: ${analysis.message}`, needsVariables: false };
    case "broken": {
      const mapStack = createStackMapper(new Map(nodeSourceMaps(options.bundle)));
      const { message } = describeCopy(analysis.thrown, mapStack);
      return {
        kind: "failed",
        message: `Failed to analyze ${analysis.module}.js: ${message}`,
        needsVariables: analysis.hasReadVariables,
      };
    }
    case "analyzed": {
      const wrong = analysis.functions.find(({ type }) => type !== "Action");
      if (wrong !== undefined) return { kind: "failed", message: onlyActions(wrong), needsVariables: false };
      return { kind: "loaded", runner, functions: analysis.functions.map(registered) };
    }
  }
}

function onlyActions({ module, name, type }: AnalyzedFunction): string {
  return (
    `\`${name}\` defined in \`${module}.js\` is a ${type} function. Only actions can be defined in Node.js. ` +
    "See https://docs.convex.dev/functions/actions for more details."
  );
}

function registered({ module, name, visibility, args, returns }: AnalyzedFunction): RegisteredFunction {
  const path = { component: appComponent, module, name };
  return {
    path,
    identifier: identifierOf(path),
    type: "Action",
    visibility,
    args: JSON.parse(args) as ValidatorJson,
    returns: JSON.parse(returns) as ValidatorJson | null,
    sharesWorld: false,
    runsInNode: true,
  };
}
