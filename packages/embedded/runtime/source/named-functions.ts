import type { AnyNode, CallExpression, Declaration, Function, Node, Program } from "acorn";
import { base, full, fullAncestor } from "acorn-walk";

export type NamedFunctions = {
  /** The functions that need a tick only where `mayTakeLong`. */
  readonly nodes: ReadonlySet<Node>;
  /** The names of those that take about as long as an operator. */
  readonly cheapNames: ReadonlySet<string>;
  /** Whether code loops, or calls such a function that itself loops or calls one. Skips functions within the code. */
  readonly mayTakeLong: (code: Node) => boolean;
};

/**
 * The functions of a module that other code only calls by their name. Each call is made by a function or a loop that has a
 * tick, so their code counts as part of that one. They need a tick only before they loop or call such a function that does
 * more: methods, callbacks and getters have ticks of their own. A function that is exported or passed around could be
 * called by a loop within V8, or by an operator as `valueOf`.
 */
export function namedFunctions(program: Program): NamedFunctions {
  const named = functionsCalledByName(program);
  const names = new Set(named.keys());
  const leaves = namesWhere(named, ({ body }) => !loops(body) && !callsAny(body, names));
  const notLeaves = new Set([...names].filter((name) => !leaves.has(name)));
  const mayTakeLong = (code: Node): boolean => loops(code) || callsAny(code, notLeaves);
  return {
    nodes: new Set([...named.values()].flat()),
    cheapNames: namesWhere(named, ({ body }) => !loops(body) && !calls(body)),
    mayTakeLong,
  };
}

/** Whether a call takes longer than an operator, if it is not one of a cheap function. */
export function isCostly({ callee }: CallExpression): boolean {
  return (
    callee.type !== "MemberExpression" || callee.object.type !== "Identifier" || callee.object.name !== "Math"
  );
}

type Named = ReadonlyMap<string, readonly Function[]>;

/** The names all of whose functions have the property. */
function namesWhere(named: Named, has: (node: Function) => boolean): ReadonlySet<string> {
  return new Set([...named].flatMap(([name, functions]) => (functions.every(has) ? [name] : [])));
}

function loops(code: Node): boolean {
  return some(code, ({ type }) => loopTypes.has(type));
}

const loopTypes = new Set<string>([
  "ForStatement",
  "WhileStatement",
  "DoWhileStatement",
  "ForInStatement",
  "ForOfStatement",
]);

function callsAny(code: Node, names: ReadonlySet<string>): boolean {
  return some(
    code,
    (node) =>
      node.type === "CallExpression" && node.callee.type === "Identifier" && names.has(node.callee.name),
  );
}

function calls(code: Node): boolean {
  return some(code, (node) => {
    switch (node.type) {
      case "CallExpression":
        return isCostly(node);
      case "NewExpression":
      case "SpreadElement":
      case "TaggedTemplateExpression":
        return true;
      default:
        return false;
    }
  });
}

const withoutFunctions = { ...base, Function: () => undefined };

function some(code: Node, has: (node: AnyNode) => boolean): boolean {
  let found = false;
  full(code, (node) => (found ||= has(node)), withoutFunctions);
  return found;
}

function functionsCalledByName(program: Program): Named {
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
        if (node.declaration != null) for (const name of namesOf(node.declaration)) passedAround.add(name);
        return;
      case "ExportDefaultDeclaration":
        if (node.declaration.type === "FunctionDeclaration" && node.declaration.id != null)
          passedAround.add(node.declaration.id.name);
        return;
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression": {
        const name = nameOf(node, parent);
        if (name === null) return;
        if (isPlain(node)) named.set(name, [...(named.get(name) ?? []), node]);
      }
    }
  });
  for (const name of passedAround) named.delete(name);
  return named;
}

/** Whether calling a function runs nothing but its body, and runs that at once. */
function isPlain({ async, generator, params }: Function): boolean {
  return !async && !generator && params.every(({ type }) => type === "Identifier");
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

function namesOf(declaration: Declaration): readonly string[] {
  if (declaration.type !== "VariableDeclaration") return [declaration.id.name];
  return declaration.declarations.flatMap(({ id }) => (id.type === "Identifier" ? [id.name] : []));
}

/** The only name by which other code can call a function: its own, or that of a variable. */
function nameOf(node: Function, parent: AnyNode | undefined): string | null {
  if (node.type === "FunctionDeclaration") return node.id?.name ?? null;
  if (node.id != null) return null;
  return parent?.type === "VariableDeclarator" && parent.init === node && parent.id.type === "Identifier"
    ? parent.id.name
    : null;
}
