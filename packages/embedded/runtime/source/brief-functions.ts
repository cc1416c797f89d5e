import type { Expression, Function, Pattern, PrivateIdentifier, Statement, VariableDeclaration } from "acorn";

/**
 * Whether a function only computes with its own parameters and variables, as the rotation of a cipher does. Such a
 * function needs no tick: it calls nothing, reads no property, and has no loop. Operators may call `valueOf` of an
 * argument. But that gets no arguments, so it computes nothing if it is brief, too, and has a tick otherwise.
 */
export function isBrief(node: Function): boolean {
  if (node.async || node.generator) return false;
  const own = new Set<string>();
  for (const param of node.params) {
    if (param.type !== "Identifier") return false;
    own.add(param.name);
  }
  const { body } = node;
  return body.type === "BlockStatement"
    ? body.body.every((statement) => isBriefStatement(statement, own))
    : isBriefExpression(body, own);
}

function isBriefStatement(statement: Statement, own: Set<string>): boolean {
  switch (statement.type) {
    case "EmptyStatement":
      return true;
    case "ExpressionStatement":
      return isBriefExpression(statement.expression, own);
    case "ReturnStatement":
      return statement.argument == null || isBriefExpression(statement.argument, own);
    case "BlockStatement":
      return statement.body.every((inner) => isBriefStatement(inner, own));
    case "IfStatement":
      return (
        isBriefExpression(statement.test, own) &&
        isBriefStatement(statement.consequent, own) &&
        (statement.alternate == null || isBriefStatement(statement.alternate, own))
      );
    case "VariableDeclaration":
      return declares(statement, own);
    default:
      return false;
  }
}

/** Adds the variables to `own`. */
function declares({ kind, declarations }: VariableDeclaration, own: Set<string>): boolean {
  return (
    (kind === "const" || kind === "let") &&
    declarations.every(({ id, init }) => {
      if (id.type !== "Identifier" || (init != null && !isBriefExpression(init, own))) return false;
      own.add(id.name);
      return true;
    })
  );
}

function isBriefExpression(
  node: Expression | PrivateIdentifier | Pattern,
  own: ReadonlySet<string>,
): boolean {
  const brief = (inner: Expression | PrivateIdentifier | Pattern): boolean => isBriefExpression(inner, own);
  switch (node.type) {
    case "Literal":
      return true;
    case "Identifier":
      return own.has(node.name);
    case "ParenthesizedExpression":
      return brief(node.expression);
    case "UnaryExpression":
    case "UpdateExpression":
      return brief(node.argument);
    case "BinaryExpression":
      return (
        node.operator !== "in" && node.operator !== "instanceof" && brief(node.left) && brief(node.right)
      );
    case "LogicalExpression":
      return brief(node.left) && brief(node.right);
    case "AssignmentExpression":
      return node.left.type === "Identifier" && brief(node.left) && brief(node.right);
    case "ConditionalExpression":
      return brief(node.test) && brief(node.consequent) && brief(node.alternate);
    case "SequenceExpression":
      return node.expressions.every(brief);
    case "ArrayExpression":
      return node.elements.every((each) => each === null || (each.type !== "SpreadElement" && brief(each)));
    case "ObjectExpression":
      return node.properties.every(
        (each) => each.type === "Property" && !each.computed && each.kind === "init" && brief(each.value),
      );
    default:
      return false;
  }
}
