import { dirname, relative, resolve, sep } from "node:path";
import type { Rule } from "eslint";
import { refusal } from "./rooms.ts";

const root = resolve(import.meta.dirname, "../..");

/** Any node that names a module: an import or export, static or dynamic, or the type `import("…").T`. */
type ModuleNode = Rule.Node & {
  readonly source?: Rule.Node & { readonly value?: unknown };
  readonly importKind?: string;
  readonly exportKind?: string;
};

/** Lint's rule that refuses the imports that `rooms` does not allow. */
export const roomImports: Rule.RuleModule = {
  meta: { type: "problem", schema: [] },
  create(context) {
    const file = fromRoot(context.filename);
    return {
      ":matches(ImportDeclaration, ImportExpression, ExportAllDeclaration, ExportNamedDeclaration, TSImportType)"(
        node: ModuleNode,
      ) {
        const specifier = node.source?.value;
        if (typeof specifier !== "string") return;
        const isRelative = specifier.startsWith(".");
        const message = refusal(file, {
          target: isRelative ? fromRoot(resolve(dirname(context.filename), specifier)) : specifier,
          relative: isRelative,
          typeOnly: [node.importKind, node.exportKind, node.type].some(
            (kind) => kind === "type" || kind === "TSImportType",
          ),
        });
        if (message !== null) context.report({ node, message });
      },
    };
  },
};

function fromRoot(path: string): string {
  return relative(root, path).split(sep).join("/");
}
