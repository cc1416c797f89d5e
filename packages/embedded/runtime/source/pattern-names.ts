import type { AnyNode, Node, Pattern, Program } from "acorn";
import { full } from "acorn-walk";

/** Names by which code may make regular expressions, besides `RegExp`: variables of that value, and classes that extend it. */
export type PatternNames = ReadonlySet<string>;

/** Finds these names, wherever they are valid. A name may also mean something else. */
export function patternNames(program: Program, code: string): PatternNames {
  const names = new Set(["RegExp"]);
  if (!code.includes("RegExp")) return names;
  const note = (target: Pattern, value: AnyNode | null | undefined): void => {
    if (target.type === "Identifier" && value != null && makesPatterns(value, names)) names.add(target.name);
  };
  full(program, (node) => {
    const each = node;
    switch (each.type) {
      case "VariableDeclarator":
        note(each.id, each.init);
        return;
      case "AssignmentExpression":
      case "AssignmentPattern":
        note(each.left, each.right);
        return;
      case "ClassDeclaration":
        if (each.id != null) note(each.id, each);
        return;
      case "ObjectPattern":
        for (const property of each.properties) {
          if (property.type === "Property" && nameOf(property.key) === "RegExp") {
            const { value } = property;
            const target = value.type === "AssignmentPattern" ? value.left : value;
            if (target.type === "Identifier") names.add(target.name);
          }
        }
    }
  });
  return names;
}

/** Whether the value may be a class of regular expressions. */
export function makesPatterns(value: AnyNode, names: PatternNames): boolean {
  switch (value.type) {
    case "Identifier":
      return names.has(value.name);
    case "MemberExpression":
      return nameOf(value.property) === "RegExp";
    case "LogicalExpression":
      return makesPatterns(value.left, names) || makesPatterns(value.right, names);
    case "ConditionalExpression":
      return makesPatterns(value.consequent, names) || makesPatterns(value.alternate, names);
    case "ClassDeclaration":
    case "ClassExpression":
      return value.superClass != null && makesPatterns(value.superClass, names);
    default:
      return false;
  }
}

function nameOf(key: Node): string | null {
  const node = key as AnyNode;
  if (node.type === "Identifier") return node.name;
  return node.type === "Literal" && typeof node.value === "string" ? node.value : null;
}
