import type { Expression, MethodDefinition, Pattern, PrivateIdentifier, Statement, Super } from "acorn";

/**
 * Whether a method is a constructor that only stores its arguments in fields, perhaps after a call of `super`. It needs no
 * tick. Only `new` can call a class, so no callback, getter or operator is one. It calls nothing but setters, which have
 * ticks of their own. Native code that constructs without any other function, such as a setter that is a bound
 * `Reflect.construct`, has no tick. Neither has a bound `Object.assign`, which can do the same.
 */
export function isStoringConstructor({ kind, value: { params, body } }: MethodDefinition): boolean {
  const parts = body.body.flatMap(partsOf);
  return (
    kind === "constructor" &&
    params.every(isInertParameter) &&
    parts.every((part, index) => part !== null && (stores(part) || (index === 0 && callsSuper(part))))
  );
}

function isInertParameter(param: Pattern): boolean {
  return (
    param.type === "Identifier" ||
    (param.type === "AssignmentPattern" && param.left.type === "Identifier" && isInert(param.right))
  );
}

/** The expressions of a statement; null for another statement. esbuild joins expressions by commas. */
function partsOf(statement: Statement): readonly (Expression | null)[] {
  if (statement.type !== "ExpressionStatement") return [null];
  const { expression } = statement;
  return expression.type === "SequenceExpression" ? expression.expressions : [expression];
}

function stores(node: Expression): boolean {
  return (
    node.type === "AssignmentExpression" &&
    node.operator === "=" &&
    node.left.type === "MemberExpression" &&
    node.left.object.type === "ThisExpression" &&
    !node.left.computed &&
    isInert(node.right)
  );
}

/** One call at most. With two, the work would double with each class that extends another. */
function callsSuper(node: Expression): boolean {
  return (
    node.type === "CallExpression" &&
    node.callee.type === "Super" &&
    node.arguments.every((each) => each.type !== "SpreadElement" && isInert(each))
  );
}

const inertOperators = new Set(["!", "typeof", "void", "===", "!=="]);

/** Whether an expression runs no code, not even that of a getter or of `valueOf`. */
export function isInert(node: Expression | PrivateIdentifier | Super): boolean {
  switch (node.type) {
    case "Literal":
    case "Identifier":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return true;
    case "UnaryExpression":
      return inertOperators.has(node.operator) ? isInert(node.argument) : node.argument.type === "Literal";
    case "BinaryExpression":
      return inertOperators.has(node.operator) && isInert(node.left) && isInert(node.right);
    case "LogicalExpression":
      return isInert(node.left) && isInert(node.right);
    case "ConditionalExpression":
      return isInert(node.test) && isInert(node.consequent) && isInert(node.alternate);
    case "ArrayExpression":
      return node.elements.every((each) => each === null || (each.type !== "SpreadElement" && isInert(each)));
    case "ObjectExpression":
      return node.properties.every(
        (each) => each.type === "Property" && !each.computed && each.kind === "init" && isInert(each.value),
      );
    default:
      return false;
  }
}
