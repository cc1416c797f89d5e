import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { v } from "convex/values";
import { openApiDocument } from "../../../app/openapi/document.ts";
import { internalAction } from "../../_generated/server.js";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

// The document depends on nothing, so it is made when this module is loaded, not for each reader.
const json = JSON.stringify(openApiDocument());
const etag = `"${bytesToHex(sha256(utf8ToBytes(json))).slice(0, 32)}"`;

/**
 * The OpenAPI document of the HTTP API as JSON. An action of its own, so that other routes do not load it.
 * @param known the reader's `If-None-Match` header. `json` is null if the reader has the document.
 */
export const read = internalAction({
  args: { known: v.union(v.string(), v.null()) },
  returns: v.object({ etag: v.string(), json: v.union(v.string(), v.null()) }),
  handler: async (_ctx, { known }) => {
    const tags = (known ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
    return await Promise.resolve({ etag, json: tags.includes(etag) || tags.includes("*") ? null : json });
  },
});
