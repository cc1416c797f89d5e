import { appComponent, type ComponentPath } from "../names/table-name.ts";
import { decodeDocumentId } from "../values/document-id.ts";

/** The role of a file in an export, read from its name. */
type ArchiveEntry =
  | { readonly kind: "documents"; readonly component: ComponentPath; readonly table: string }
  | { readonly kind: "generated_schema"; readonly component: ComponentPath; readonly table: string }
  | { readonly kind: "file"; readonly component: ComponentPath; readonly id: string }
  | { readonly kind: "other" };

export const readme = "README.md";

// As in Convex, an outer folder is skipped: zipping an unpacked export by hand adds one.
const tableFile = /^(.*\/)?([^/]+)\/(documents|generated_schema)\.jsonl$/;
const storageFile = /^(.*\/)?_storage\/([^/.]+)(?:\.[^/]+)?$/;
const lastComponent = /^(.*\/)?_components\/([^/]+)\/$/;

export function readArchiveName(name: string): ArchiveEntry {
  const table = tableFile.exec(name);
  if (table !== null) {
    const kind = table[3] === "documents" ? "documents" : "generated_schema";
    return { kind, component: componentIn(table[1] ?? ""), table: table[2] ?? "" };
  }
  const file = storageFile.exec(name);
  const id = file?.[2] ?? "";
  if (file !== null && decodeDocumentId(id) !== null) {
    return { kind: "file", component: componentIn(file[1] ?? ""), id };
  }
  return { kind: "other" };
}

/** For "pool/batch": "_components/pool/_components/batch/". */
export function archivePrefix(component: ComponentPath): string {
  if (component === appComponent) return "";
  return component
    .split("/")
    .map((name) => `_components/${name}/`)
    .join("");
}

function componentIn(prefix: string): ComponentPath {
  const names: string[] = [];
  let match = lastComponent.exec(prefix);
  while (match !== null) {
    names.unshift(match[2] ?? "");
    match = lastComponent.exec(match[1] ?? "");
  }
  return names.join("/");
}
