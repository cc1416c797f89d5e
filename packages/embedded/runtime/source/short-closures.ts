import type { AnyNode, Expression, Function, Node, Pattern } from "acorn";
import { base, full } from "acorn-walk";
import { isInert } from "./storing-constructors.ts";

/**
 * Whether a function needs no tick, since it calls no function and takes one step at most that may run other code, such as the
 * `valueOf` of a value. So such functions are at most a chain, which ends with the stack: with two steps, the work could double
 * with each of them. Its callers have ticks. So this is only for functions that code returns or puts into an object: native
 * code could call a callback millions of times.
 * @param ancestors the nodes around it and itself, the innermost last
 */
export function isShortClosure(
  { async, generator, params, body }: Function,
  ancestors: readonly AnyNode[],
): boolean {
  if (async || generator || params.some(({ type }) => type !== "Identifier")) return false;
  return (
    body.type !== "BlockStatement" &&
    isKept(ancestors.at(-2), body) &&
    stepsOf(body) <= 1 &&
    usesOnlyVariables(body, ancestors)
  );
}

function isKept(parent: AnyNode | undefined, body: Expression): boolean {
  const isReturned = parent?.type === "ArrowFunctionExpression" || parent?.type === "ReturnStatement";
  if (isReturned) return isPrimitive(body);
  return (
    parent?.type === "Property" &&
    parent.kind === "init" &&
    !parent.computed &&
    parent.key.type === "Identifier" &&
    (parent.key.name !== "next" || isPrimitive(body))
  );
}

/** Native code calls the `next` of an iterator without end, but only if that gives objects. A returned function may become one. */
function isPrimitive(body: Expression): boolean {
  return (
    body.type === "UpdateExpression" ||
    body.type === "BinaryExpression" ||
    (body.type === "AssignmentExpression" && /^[-+*/%&|^<>]+=$/.test(body.operator))
  );
}

/** How many steps of an expression may run other code; Infinity if one is a call. */
function stepsOf(node: Expression): number {
  if (isInert(node)) return 0;
  switch (node.type) {
    case "AssignmentExpression":
      if (node.left.type !== "Identifier") return Infinity;
      return stepsOf(node.right) + (node.operator === "=" ? 0 : 1 + valueSteps(node.right));
    case "UpdateExpression":
      return node.argument.type === "Identifier" ? 1 : Infinity;
    case "MemberExpression":
      if (node.computed || node.object.type === "Super") return Infinity;
      return 1 + (node.object.type === "ThisExpression" ? 0 : stepsOf(node.object));
    case "BinaryExpression": {
      const { left, operator, right } = node;
      if (left.type === "PrivateIdentifier" || /[a-z]/.test(operator)) return Infinity;
      const steps = stepsOf(left) + stepsOf(right);
      return /^[!=]==$/.test(operator) ? steps : steps + valueSteps(left) + valueSteps(right);
    }
    default:
      return Infinity;
  }
}

/** An operator may call the `valueOf` of an object. */
function valueSteps({ type }: Expression): number {
  return type === "Literal" || type === "BinaryExpression" || type === "UpdateExpression" ? 0 : 1;
}

const withoutFunctions = { ...base, Function: () => undefined };

/** Whether all names are those of variables. That of a global object's property could be a getter. */
function usesOnlyVariables(body: Expression, scopes: readonly AnyNode[]): boolean {
  let isSo = true;
  const check = (node: AnyNode): void => {
    if (node.type === "Identifier") isSo &&= scopes.some((scope) => variablesOf(scope).has(node.name));
  };
  full(body, check, withoutFunctions);
  return isSo;
}

const known = new WeakMap<Node, ReadonlySet<string>>();

/** The simple variables that a node declares for the code in it. */
function variablesOf(scope: AnyNode): ReadonlySet<string> {
  const earlier = known.get(scope);
  if (earlier !== undefined) return earlier;
  const names = new Set(declarationsIn(scope).flatMap((id) => (id?.type === "Identifier" ? [id.name] : [])));
  known.set(scope, names);
  return names;
}

function declarationsIn(scope: AnyNode): readonly (Pattern | null)[] {
  if ("params" in scope) return scope.params;
  const statements = scope.type === "BlockStatement" || scope.type === "Program" ? scope.body : [];
  return statements.flatMap((statement) => {
    if (statement.type === "VariableDeclaration") return statement.declarations.map(({ id }) => id);
    return statement.type === "FunctionDeclaration" || statement.type === "ClassDeclaration"
      ? [statement.id]
      : [];
  });
}
