import { schema } from "./model/schema.ts";

// Convex requires the default export.
export default schema;
