import { executions, newActionExecution, type CallContext } from "./execution.ts";
import { clientMessage, describeThrown } from "./function-failure.ts";
import type { HttpRoutes } from "./loaded-modules.ts";
import { APP } from "../values/table-name.ts";
import type { Services } from "./services.ts";

/**
 * Routes a request to its HTTP action; null when no route matches. The response's body may still be written
 * after this resolves: its stream belongs to the action's execution, which therefore does not end here.
 */
export async function runHttp(
  services: Services,
  routes: HttpRoutes | null,
  request: Request,
  context: CallContext,
): Promise<Response | null> {
  const { pathname } = new URL(request.url);
  const [endpoint, method, route] = routes?.lookup(pathname, request.method) ?? [];
  if (endpoint === undefined) return null;
  const execution = newActionExecution(
    "httpAction",
    { identifier: `${method} ${route}`, component: APP },
    context,
  );
  try {
    const response: unknown = await executions.run(execution, () => endpoint.invokeHttpAction(request));
    if (!(response instanceof Response)) {
      throw new TypeError(`The HTTP action of ${method} ${route} did not return a Response`);
    }
    return request.method === "HEAD" ? withoutBody(response) : response;
  } catch (thrown) {
    const failure = describeThrown(thrown, services.mapStack);
    // A body that breaks off because its client has left is no error of the action.
    if (!request.signal.aborted) context.logs.add(`[ERROR] ${failure.message}`);
    const [code] = clientMessage(context.requestId, failure).split("\n");
    return Response.json({ code, trace: failure.message }, { status: 500 });
  }
}

function withoutBody(response: Response): Response {
  void response.body?.cancel();
  const { status, statusText, headers } = response;
  return new Response(null, { status, statusText, headers });
}
