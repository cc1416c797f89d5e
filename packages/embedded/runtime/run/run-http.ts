import { appComponent, type ComponentPath } from "../../names/table-name.ts";
import type { LoadedComponents } from "../bundle/loaded-components.ts";
import { httpModule, readRouter } from "../bundle/loaded-modules.ts";
import { limits } from "../checks/limits.ts";
import { mountedPath, type RoutedRequest } from "../components/http-mounts.ts";
import {
  type ActionExecution,
  type CallContext,
  endExecution,
  endSoon,
  executions,
  newActionExecution,
} from "../execution/execution.ts";
import { type FunctionFailure, httpFailure } from "../execution/function-failure.ts";
import { formatLogLine } from "../execution/log-lines.ts";
import { watchMemory } from "../execution/memory/memory-watch.ts";
import { withinUserTime } from "../execution/user-time.ts";
import type { Services } from "../syscalls/services.ts";
import { failureOf, leavesWorldIntact, moduleIn } from "./invoke.ts";
import { warnOfHttpLimits } from "./limit-warnings.ts";
import { cancelBody, plainResponse } from "./plain-response.ts";
import { ResponseTooLargeError, watchedBody } from "./watched-body.ts";

/** An HTTP action, named by its method and route: "GET /jobs". */
type HttpTarget = {
  readonly component: ComponentPath;
  readonly identifier: string;
  /** The request's path for the component's router. */
  readonly path: string;
  readonly sharesWorld: boolean;
};

/** A failed action has a response too. */
type HttpRun = { readonly response: Response; readonly failure: FunctionFailure | null };

/** Whether the app has HTTP actions; below a component's prefix, whether the component has some. */
export function hasHttpActions(components: LoadedComponents, request: Request): boolean {
  const component = mountedPath(components, routed(request))?.component ?? appComponent;
  return (components.get(component)?.modules.http ?? null) !== null;
}

/** Finds the HTTP action for a request; null if no route matches. */
export function routeHttp(
  services: Services,
  components: LoadedComponents,
  request: Request,
  context: CallContext,
): HttpTarget | null {
  const place = mountedPath(components, routed(request));
  if (place === null) return null;
  const { component, path } = place;
  const http = components.get(component)?.modules.http ?? null;
  if (http === null) return null;
  const route = lookUp(services, component, { path, method: request.method }, context);
  return route === null ? null : { component, path, sharesWorld: http.sharesWorld, identifier: route };
}

function routed({ url, method }: Request): RoutedRequest {
  return { pathname: new URL(url).pathname, method };
}

/**
 * Names the route of a request; null if there is none. Looks it up in a world that is kept for that, or in the one that all HTTP
 * actions share. If the code fails, so will the action, which tells why.
 */
function lookUp(
  services: Services,
  component: ComponentPath,
  { path, method }: { readonly path: string; readonly method: string },
  context: CallContext,
): string | null {
  const requested = `${method} ${path}`;
  const execution = newActionExecution("httpAction", { identifier: requested, component }, context);
  const visit = services.worlds.visit({ component, module: httpModule }, true);
  try {
    execution.time.start();
    return executions.run(execution, () => {
      const [, routed, route] = readRouter(moduleIn(visit, execution, httpModule)).lookup(path, method) ?? [];
      return routed === undefined ? null : `${routed} ${route}`;
    });
  } catch {
    visit.end(false);
    return requested;
  } finally {
    endExecution(execution);
  }
}

/**
 * Runs an HTTP action. The response's body may still be written after this resolves: its stream belongs to the
 * action's execution, which therefore does not end here, but soon after the client has been `answered`.
 */
export async function runHttp(
  services: Services,
  { component, identifier, path, sharesWorld }: HttpTarget,
  request: Request,
  context: CallContext,
  answered: Promise<boolean> | null,
): Promise<HttpRun> {
  const execution = newActionExecution("httpAction", { identifier, component }, context);
  const visit = services.worlds.visit({ component, module: httpModule }, sharesWorld);
  if (answered !== null) watchMemory(execution.time);
  try {
    execution.time.start();
    const returned = executions.run(execution, () => {
      const routes = readRouter(moduleIn(visit, execution, httpModule));
      const [endpoint] = routes.lookup(path, request.method) ?? [];
      if (endpoint === undefined) throw new Error(`There is no route for ${identifier} anymore.`);
      return endpoint.invokeHttpAction(request);
    });
    const response: unknown = await withinUserTime(execution, returned);
    const plain = executions.run(execution, () => {
      // A proxy's trap would be code of the action.
      if (!(response instanceof Response)) throw new TypeError("HTTP actions must return a Response");
      return plainResponse(response);
    });
    const whole = request.method === "HEAD" ? withoutBody(plain) : plain;
    const sent = watched(services, execution, whole, request.signal);
    return { response: sent, failure: null };
  } catch (thrown) {
    const failure = failureOf(services, execution, thrown);
    visit.end(leavesWorldIntact(failure));
    warnOfHttpLimits(execution, 0, execution.left);
    // Its code cannot go on.
    if (execution.time.error !== null) endExecution(execution);
    const response = Response.json(httpFailure(context.requestId, failure), { status: 500 });
    // If the body broke off because its client left, the action has not failed.
    return { response, failure: request.signal.aborted ? null : failure };
  } finally {
    // Nobody awaits its code anymore, so a limit that it exceeds from now on has to stop what it has left behind.
    execution.time.onSpent = () => endExecution(execution);
    void answered?.then((hasWhole) => endSoon(execution, hasWhole));
  }
}

/**
 * A response whose body has the action's limits. Its warnings are logged at its end, and the reason if it breaks off before its
 * client leaves.
 */
function watched(
  services: Services,
  execution: ActionExecution,
  { body, status, statusText, headers }: Response,
  client: AbortSignal,
): Response {
  const { time, context, startedAt } = execution;
  const leftMs = limits.actionTimeMs - (performance.now() - startedAt);
  const onLate = (): unknown => {
    time.spend(limits.actionTimeMs);
    endExecution(execution);
    return time.error;
  };
  const onBroken = (error: unknown): void => {
    if (client.aborted) return;
    const message = ResponseTooLargeError.isOne(error)
      ? `${error.name}: ${error.message}`
      : failureOf(services, execution, error).message;
    context.logs.add(formatLogLine("ERROR", message));
  };
  const onEnd = (bytes: number): void => warnOfHttpLimits(execution, bytes, execution.pending);
  // The code that would write the rest of the body does not go on.
  const onStart = (breakOff: (error: unknown) => void): void => {
    execution.stops.add(() => {
      if (time.error !== null) breakOff(time.error);
    });
  };
  const stream = body === null ? null : watchedBody(body, { leftMs, onStart, onLate, onBroken, onEnd });
  if (stream === null) warnOfHttpLimits(execution, 0, execution.left);
  return new Response(stream, { status, statusText, headers });
}

function withoutBody(response: Response): Response {
  void cancelBody(response);
  const { status, statusText, headers } = response;
  return new Response(null, { status, statusText, headers });
}
