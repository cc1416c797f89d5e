import { dirname, relative, resolve, sep } from "node:path";
import type { ESTree, Rule } from "@oxlint/plugins";
import { refusal } from "./rooms.ts";

/** Any node that names a module: an import or export, static or dynamic, or the type `import("…").T`. */
type ModuleNode = ESTree.Node & {
  readonly source?: { readonly value?: unknown } | null;
  readonly importKind?: string;
  readonly exportKind?: string;
};

/** Lint's rule that refuses the imports that `rooms` does not allow. Lint runs in the repository's root. */
export const roomImports: Rule = {
  create(context) {
    const fromRoot = (path: string): string => relative(context.cwd, path).split(sep).join("/");
    const check = (node: ModuleNode): void => {
      const specifier = node.source?.value;
      if (typeof specifier !== "string") return;
      const isRelative = specifier.startsWith(".");
      const message = refusal(fromRoot(context.filename), {
        target: isRelative ? fromRoot(resolve(dirname(context.filename), specifier)) : specifier,
        relative: isRelative,
        typeOnly: [node.importKind, node.exportKind, node.type].some(
          (kind) => kind === "type" || kind === "TSImportType",
        ),
      });
      if (message !== null) context.report({ node, message });
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
      TSImportType: check,
    };
  },
};
