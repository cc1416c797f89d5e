import type {
  AnyNode,
  Expression,
  Function,
  Node,
  PrivateIdentifier,
  Program,
  Statement,
  VariableDeclaration,
} from "acorn";
import { fullAncestor } from "acorn-walk";

/** Functions of a module, and the names by which they are called. */
export type ComputingFunctions = { readonly nodes: ReadonlySet<Node>; readonly names: ReadonlySet<string> };

/**
 * The functions of a module that only compute with their own parameters and variables, such as the rotation of a cipher, and
 * that other code only calls by their name. They need no tick, because each call is made by a function or a loop that has
 * one. A function that is exported or passed around could be called by a loop within V8, or by an operator as `valueOf`.
 */
export function computingFunctions(program: Program): ComputingFunctions {
  const named = new Map<string, Function[]>();
  const passedAround = new Set<string>();
  fullAncestor(program, (node, _, ancestors) => {
    const parent = ancestors.at(-2);
    switch (node.type) {
      case "Identifier":
        if (!isCalled(node, parent) && !isDeclared(node, parent)) passedAround.add(node.name);
        return;
      case "ExportNamedDeclaration":
        for (const { local } of node.specifiers)
          if (local.type === "Identifier") passedAround.add(local.name);
        return;
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression": {
        const name = nameOf(node, parent);
        if (name !== null && onlyComputes(node)) named.set(name, [...(named.get(name) ?? []), node]);
      }
    }
  });
  const computing = [...named].filter(([name]) => !passedAround.has(name));
  return {
    nodes: new Set(computing.flatMap(([, functions]) => functions)),
    names: new Set(computing.map(([name]) => name)),
  };
}

function isCalled(node: Node, parent: AnyNode | undefined): boolean {
  return parent?.type === "CallExpression" && parent.callee === node;
}

function isDeclared(node: Node, parent: AnyNode | undefined): boolean {
  switch (parent?.type) {
    case "VariableDeclarator":
      return parent.id === node;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return parent.id === node || parent.params.some((param) => param === node);
    default:
      return false;
  }
}

/** The name by which other code can call a function: its own, or that of a variable. */
function nameOf(node: Function, parent: AnyNode | undefined): string | null {
  if (node.type === "FunctionDeclaration") return node.id?.name ?? null;
  return parent?.type === "VariableDeclarator" && parent.init === node && parent.id.type === "Identifier"
    ? parent.id.name
    : null;
}

function onlyComputes(node: Function): boolean {
  if (node.async || node.generator) return false;
  const names = node.params.flatMap((param) => (param.type === "Identifier" ? [param.name] : []));
  if (names.length < node.params.length) return false;
  const own = new Set(names);
  const { body } = node;
  return body.type === "BlockStatement" ? computesAll(body.body, own) : computesExpression(body, own);
}

/** @param around the variables of the blocks around these statements. */
function computesAll(statements: readonly Statement[], around: ReadonlySet<string>): boolean {
  const own = new Set(around);
  return statements.every((statement) =>
    statement.type === "VariableDeclaration"
      ? addVariables(statement, own)
      : computesStatement(statement, own),
  );
}

function computesStatement(statement: Statement, own: ReadonlySet<string>): boolean {
  switch (statement.type) {
    case "EmptyStatement":
      return true;
    case "ExpressionStatement":
      return computesExpression(statement.expression, own);
    case "ReturnStatement":
      return statement.argument == null || computesExpression(statement.argument, own);
    case "BlockStatement":
      return computesAll(statement.body, own);
    case "IfStatement":
      return (
        computesExpression(statement.test, own) &&
        computesStatement(statement.consequent, own) &&
        (statement.alternate == null || computesStatement(statement.alternate, own))
      );
    default:
      return false;
  }
}

/** Adds declared variables to `own`. False if the declaration does more than compute. */
function addVariables({ kind, declarations }: VariableDeclaration, own: Set<string>): boolean {
  return (
    (kind === "const" || kind === "let") &&
    declarations.every(({ id, init }) => {
      if (id.type !== "Identifier" || (init != null && !computesExpression(init, own))) return false;
      own.add(id.name);
      return true;
    })
  );
}

function computesExpression(node: Expression | PrivateIdentifier, own: ReadonlySet<string>): boolean {
  const computes = (inner: Expression | PrivateIdentifier): boolean => computesExpression(inner, own);
  switch (node.type) {
    case "Literal":
      return node.regex === undefined;
    case "Identifier":
      return own.has(node.name);
    case "ParenthesizedExpression":
      return computes(node.expression);
    case "UnaryExpression":
    case "UpdateExpression":
      return computes(node.argument);
    case "BinaryExpression":
      return (
        node.operator !== "in" &&
        node.operator !== "instanceof" &&
        computes(node.left) &&
        computes(node.right)
      );
    case "LogicalExpression":
      return computes(node.left) && computes(node.right);
    case "AssignmentExpression":
      return node.left.type === "Identifier" && own.has(node.left.name) && computes(node.right);
    case "ConditionalExpression":
      return computes(node.test) && computes(node.consequent) && computes(node.alternate);
    case "SequenceExpression":
      return node.expressions.every(computes);
    case "ArrayExpression":
      return node.elements.every(
        (each) => each === null || (each.type !== "SpreadElement" && computes(each)),
      );
    case "ObjectExpression":
      return node.properties.every(
        (each) => each.type === "Property" && !each.computed && each.kind === "init" && computes(each.value),
      );
    default:
      return false;
  }
}
