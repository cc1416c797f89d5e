import type { ComponentPath } from "../../names/table-name.ts";
import { FunctionsLoadError, type LoadedCode } from "../code/loaded-code.ts";
import type { CallContext } from "../execution/execution.ts";
import { type FunctionResult, refusal } from "../execution/function-failure.ts";
import type { BundledScript } from "../source/bundled-script.ts";
import type { Services } from "../syscalls/services.ts";
import { runQuery } from "./run-query.ts";

/** Runs the query that is the default export of a script's only module, as a function of a component. */
export async function runInlineQuery(
  services: Services,
  load: (script: BundledScript, component: ComponentPath) => LoadedCode,
  script: BundledScript,
  component: ComponentPath,
  context: CallContext,
): Promise<FunctionResult> {
  const [module = ""] = script.modules;
  let code: LoadedCode;
  try {
    code = load(script, component);
  } catch (error) {
    if (error instanceof FunctionsLoadError) return refusal(error.message);
    throw error;
  }
  const target = code.components.find({ component, module, name: "default" });
  if (target?.type !== "Query") return refusal("The default export must be a query.");
  // Functions that it calls are the deployment's: those calls use the services themselves.
  const own = { find: () => target, worlds: code.worlds, mapStack: code.mapStack };
  return (await runQuery({ ...services, ...own }, target, {}, context)).result;
}
