import { expect, test } from "vitest";
import { encodeDocumentId } from "../values/document-id.ts";
import { archivePrefix, readArchiveName } from "./archive-names.ts";

const id = encodeDocumentId({ tableNumber: 10_010, internalId: new Uint8Array(16) });

test.each([
  ["jobs/documents.jsonl", { kind: "documents", component: "", table: "jobs" }],
  ["_tables/documents.jsonl", { kind: "documents", component: "", table: "_tables" }],
  ["jobs/generated_schema.jsonl", { kind: "generated_schema", component: "", table: "jobs" }],
  ["snapshot/jobs/documents.jsonl", { kind: "documents", component: "", table: "jobs" }],
  ["_components/pool/jobs/documents.jsonl", { kind: "documents", component: "pool", table: "jobs" }],
  [
    "_components/pool/_components/batch/jobs/documents.jsonl",
    { kind: "documents", component: "pool/batch", table: "jobs" },
  ],
  [`_storage/${id}.png`, { kind: "file", component: "", id }],
  [`_components/pool/_storage/${id}`, { kind: "file", component: "pool", id }],
  ["_storage/documents.jsonl", { kind: "documents", component: "", table: "_storage" }],
  ["_storage/../../etc/passwd", { kind: "other" }],
  ["README.md", { kind: "other" }],
  ["documents.jsonl", { kind: "other" }],
])("the role of %s is read from its name", (name, entry) => {
  expect(readArchiveName(name)).toEqual(entry);
});

test.each(["", "pool", "pool/batch"])("the archive prefix of the component %j is read back", (component) => {
  expect(readArchiveName(`${archivePrefix(component)}jobs/documents.jsonl`)).toMatchObject({ component });
});
