import { readRegisteredFunction } from "../../contract/registered-function.ts";
import type { AnalyzedFunction, FromProcess } from "../messages.ts";
import type { Runs } from "./runs.ts";

type Namespace = { readonly [name: string]: unknown };

/** Evaluates modules one after the other, and describes the functions that they export. */
export async function analyzeModules(
  modules: readonly string[],
  load: (module: string) => Promise<Namespace>,
  runs: Runs,
): Promise<FromProcess> {
  const functions: AnalyzedFunction[] = [];
  const hasReadVariables = watchVariables();
  for (const module of modules) {
    try {
      for (const [name, value] of Object.entries(await load(module))) {
        const analyzed = analyze(module, name, value);
        if (analyzed !== null) functions.push(analyzed);
      }
    } catch (thrown) {
      return { kind: "broken", module, thrown: runs.copy(thrown), hasReadVariables: hasReadVariables() };
    }
  }
  return { kind: "analyzed", functions };
}

/** Tells whether code has read environment variables since. */
function watchVariables(): () => boolean {
  let hasRead = false;
  process.env = new Proxy(process.env, {
    get(target, name) {
      hasRead = true;
      return target[name as string];
    },
  });
  return () => hasRead;
}

function analyze(module: string, name: string, value: unknown): AnalyzedFunction | null {
  if (typeof value === "function" && "isHttp" in value && "invokeHttpAction" in value) {
    return { module, name, type: "HttpAction", visibility: "public", args: "null", returns: "null" };
  }
  const registered = readRegisteredFunction({ component: "", module, name }, value, false);
  if (registered === null) return null;
  const { type, visibility, args, returns } = registered;
  return { module, name, type, visibility, args: JSON.stringify(args), returns: JSON.stringify(returns) };
}
