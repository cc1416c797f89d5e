import { httpActionGeneric, httpRouter, makeFunctionReference } from "convex/server";
import { ConvexError } from "convex/values";
import { answerWhoami } from "./identity.ts";

const http = httpRouter();
http.route({ path: "/whoami", method: "GET", handler: answerWhoami });
const sendReference = makeFunctionReference<"mutation", { channel: string; body: string }>("messages:send");

http.route({
  path: "/hello",
  method: "GET",
  handler: httpActionGeneric((_, request) => {
    const name = new URL(request.url).searchParams.get("name") ?? "nobody";
    return Promise.resolve(new Response(`hello ${name}`, { headers: { "X-Fixture": "yes" } }));
  }),
});

http.route({
  pathPrefix: "/messages/",
  method: "POST",
  handler: httpActionGeneric(async (ctx, request) => {
    const channel = new URL(request.url).pathname.slice("/messages/".length);
    const id = await ctx.runMutation(sendReference, { channel, body: await request.text() });
    return Response.json({ id }, { status: 201 });
  }),
});

/** Sends each line only after the one before was read, so that a client can tell a stream from a buffer. */
http.route({
  path: "/ticks",
  method: "GET",
  handler: httpActionGeneric((_, request) => {
    const count = Number(new URL(request.url).searchParams.get("count") ?? "3");
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const tick = async (): Promise<void> => {
      const writer = writable.getWriter();
      for (let n = 0; n < count; n++) {
        await writer.write(new TextEncoder().encode(`tick ${String(n)}\n`));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      await writer.close();
    };
    void tick();
    return Promise.resolve(new Response(readable, { headers: { "Content-Type": "text/plain" } }));
  }),
});

/** Sends the body back as it arrives. */
http.route({
  path: "/echo",
  method: "POST",
  handler: httpActionGeneric((_, request) =>
    Promise.resolve(
      new Response(request.body, {
        headers: { "Content-Type": request.headers.get("Content-Type") ?? "application/octet-stream" },
      }),
    ),
  ),
});

const corsHeaders = {
  "Access-Control-Allow-Origin": "https://app.example",
  "Access-Control-Allow-Methods": "PUT",
  "Access-Control-Allow-Headers": "Content-Type",
  Vary: "Origin",
};

http.route({
  path: "/shared",
  method: "OPTIONS",
  handler: httpActionGeneric(() =>
    Promise.resolve(new Response(null, { status: 204, headers: corsHeaders })),
  ),
});

http.route({
  path: "/shared",
  method: "PUT",
  handler: httpActionGeneric(async (_, request) =>
    Response.json({ got: await request.json() }, { headers: corsHeaders }),
  ),
});

http.route({
  pathPrefix: "/messages/special/",
  method: "POST",
  handler: httpActionGeneric(() => Promise.resolve(new Response("the longer prefix"))),
});

http.route({
  path: "/refuses",
  method: "GET",
  handler: httpActionGeneric(() => Promise.reject(new ConvexError({ code: "no", n: 7n }))),
});

http.route({
  path: "/fails",
  method: "GET",
  handler: httpActionGeneric(() => Promise.reject(new Error("no luck"))),
});

// Convex requires a default export here.
export default http;
