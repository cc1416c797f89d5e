import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { withFieldTables } from "../app/openapi/field-table.ts";

/** `npm run api-page`: writes the tables of fields in docs/api.md anew, from app/fields/. */
const path = resolve(import.meta.dirname, "../docs/api.md");
writeFileSync(path, withFieldTables(readFileSync(path, "utf8")));
