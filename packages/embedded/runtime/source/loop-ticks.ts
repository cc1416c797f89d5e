import { type AnyNode, type Expression, type Function, parse, type Program, type Statement } from "acorn";
import { full } from "acorn-walk";
import { type Insertion, shiftMappings } from "./loop-ticks-map.ts";

/** The context's global variable from which a script takes its `Ticks`. */
export const ticksGlobal = "__convexTicks";

/** A script's ticks decrement `fuel`. Below zero they call `refuel`, which refills `fuel` or throws. */
export type Ticks = { readonly fuel: Int32Array; readonly refuel: () => void };

// Ticks use variables of a function: those of a vm context's global scope are a hundred times slower.
const tick = "--__convexFuel[0]<0&&__convexRefuel()";
const prologue = `(()=>{const {fuel:__convexFuel,refuel:__convexRefuel}=globalThis.${ticksGlobal};`;
const epilogue = "})();";

type Ticked = { readonly code: string; readonly sourceMap: string };

/**
 * Puts a tick into the body of every loop and every function of a script. A tick without fuel calls `refuel`,
 * which may throw. From then on every tick calls it again, so that no `catch` can keep the code running. Adds
 * or removes no line, and shifts the source map's columns. Throws SyntaxError if acorn cannot parse the code.
 */
export function withTicks(code: string, sourceMap: string): Ticked {
  const program = parse(code, { ecmaVersion: "latest", sourceType: "script" });
  const insertions = tickInsertions(program);
  const map = JSON.parse(sourceMap) as { readonly mappings: string };
  return {
    code: insert(code, insertions),
    sourceMap: JSON.stringify({ ...map, mappings: shiftMappings(map.mappings, code, insertions) }),
  };
}

function tickInsertions(program: Program): readonly Insertion[] {
  const openers: Insertion[] = [{ at: afterDirectives(program.body, program.start), text: prologue }];
  const closers: Insertion[] = [{ at: program.end, text: epilogue }];
  const around = ({ start, end }: AnyNode, before: string, after: string): void => {
    openers.push({ at: start, text: before });
    closers.push({ at: end, text: after });
  };
  const tickStatement = (body: Statement): void => {
    if (body.type === "BlockStatement") openers.push({ at: body.start + 1, text: `${tick};` });
    else around(body, `{${tick};`, "}");
  };
  const tickFunction = ({ body }: Function): void => {
    if (body.type === "BlockStatement") {
      openers.push({ at: afterDirectives(body.body, body.start + 1), text: `${tick};` });
    } else if (mayRecurse(body)) {
      around(body, `(${tick},`, ")");
    }
  };
  // Visits inner nodes first.
  full(program, (node) => {
    switch (node.type) {
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement":
        tickStatement(node.body);
        return;
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        tickFunction(node);
    }
  });
  // At one position, insertions that end a node precede those that start one, and outer nodes start before
  // inner ones.
  return [...closers.slice(1), ...closers.slice(0, 1), ...openers.reverse()].sort((a, b) => a.at - b.at);
}

/**
 * Whether an arrow function's body may recurse. A comparison for `sort` cannot, and gets no tick: it runs most
 * often.
 */
function mayRecurse(body: Expression): boolean {
  switch (body.type) {
    case "Identifier":
    case "Literal":
    case "ThisExpression":
      return false;
    case "UnaryExpression":
      return mayRecurse(body.argument);
    case "MemberExpression":
      return (
        body.object.type === "Super" ||
        mayRecurse(body.object) ||
        (body.computed && mayRecurse(body.property as Expression))
      );
    case "BinaryExpression":
    case "LogicalExpression":
      return body.left.type === "PrivateIdentifier" || mayRecurse(body.left) || mayRecurse(body.right);
    case "ConditionalExpression":
      return mayRecurse(body.test) || mayRecurse(body.consequent) || mayRecurse(body.alternate);
    default:
      return true;
  }
}

/** Returns the position after the directives. "use strict" has no effect if other code precedes it. */
function afterDirectives(body: readonly AnyNode[], start: number): number {
  let at = start;
  for (const statement of body) {
    if (statement.type !== "ExpressionStatement" || statement.directive === undefined) break;
    at = statement.end;
  }
  return at;
}

function insert(code: string, insertions: readonly Insertion[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { at, text } of insertions) {
    parts.push(code.slice(from, at), text);
    from = at;
  }
  return parts.join("") + code.slice(from);
}
