import { v } from "convex/values";
import { openApiDocument } from "../../../app/openapi/document.ts";
import { internalAction } from "../../_generated/server.js";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

/** The OpenAPI document of the HTTP API as JSON. An action of its own, so that other routes do not load it. */
export const read = internalAction({
  args: {},
  returns: v.string(),
  handler: async () => await Promise.resolve(JSON.stringify(openApiDocument())),
});
