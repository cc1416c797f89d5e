import type { AnyNode, Expression, ForStatement, Identifier, Literal, Node } from "acorn";
import { full } from "acorn-walk";

/** Far below the numbers from which adding one changes nothing. */
const mostAtFirst = 2 ** 32;

/**
 * The name of the variable that counts a loop's rounds; null without one. It starts at a number of the code, each round adds one,
 * and no other code of the loop changes it. Call it for a loop without functions, which could change the variable.
 */
export function counterOf(loop: ForStatement): string | null {
  const { init, update } = loop;
  if (init?.type !== "VariableDeclaration" || init.kind !== "let") return null;
  const name = update == null ? null : incrementedBy(update);
  const startsAtNumber = init.declarations.some(
    ({ id, init: first }) =>
      id.type === "Identifier" && id.name === name && isNumber(first) && first.value < mostAtFirst,
  );
  return name !== null && startsAtNumber && changesOf(name, loop) === 1 ? name : null;
}

/** The variable to which an expression adds one; null if it does something else. */
function incrementedBy(update: Expression): string | null {
  switch (update.type) {
    case "UpdateExpression":
      return update.operator === "++" ? nameOf(update.argument) : null;
    case "AssignmentExpression": {
      const { left, operator, right } = update;
      return operator === "+=" && isNumber(right) && right.value === 1 ? nameOf(left) : null;
    }
    default:
      return null;
  }
}

function nameOf(node: Node | null): string | null {
  return node?.type === "Identifier" ? (node as Identifier).name : null;
}

function isNumber(value: Expression | null | undefined): value is Literal & { readonly value: number } {
  return value?.type === "Literal" && typeof value.value === "number";
}

/** How often a loop changes a variable, or declares another one of its name. */
function changesOf(name: string, loop: ForStatement): number {
  // The loop's own declaration is none.
  let changes = -1;
  full(loop, (node, _, type) => {
    if (nameOf(changedBy(node, type)) === name) changes += 1;
  });
  return changes;
}

/** @param type the walker's own, which tells a variable that is set from one that is read */
function changedBy(node: AnyNode, type: string): Node | null {
  switch (node.type) {
    case "UpdateExpression":
      return node.argument;
    case "ForInStatement":
    case "ForOfStatement":
      return node.left;
    default:
      return type === "VariablePattern" ? node : null;
  }
}
