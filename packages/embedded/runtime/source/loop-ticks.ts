import { type AnyNode, type Expression, type Function, parse, type Program, type Statement } from "acorn";
import { full } from "acorn-walk";
import { type Insertion, shiftMappings } from "./loop-ticks-map.ts";

/** The context's global variable from which a script takes its `Ticks`. */
export const ticksGlobal = "__convexTicks";

/** What a script's ticks count down, and what they call when nothing is left: it refills `fuel`, or throws. */
export type Ticks = { readonly fuel: Int32Array; readonly refuel: () => void };

// What stands in a function is as fast as it gets; a vm context's global scope is a hundred times slower.
const tick = "--__convexFuel[0]<0&&__convexRefuel()";
const prologue = `(()=>{const {fuel:__convexFuel,refuel:__convexRefuel}=globalThis.${ticksGlobal};`;
const epilogue = "})();";

type Ticked = { readonly code: string; readonly sourceMap: string };

/**
 * Puts a tick into the body of every loop and every function of a script: those that find no fuel call for more, which
 * may throw. As long as it does, every tick calls it, so that no `catch` gets away with it. No line is added or removed, and
 * the source map's columns move along. Throws SyntaxError on what acorn cannot read.
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
    } else if (mayRecur(body)) {
      around(body, `(${tick},`, ")");
    }
  };
  // Inner nodes come first.
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
  // What ends at a place goes before what starts there; of what starts there, the outer one first.
  return [...closers.slice(1), ...closers.slice(0, 1), ...openers.reverse()].sort((a, b) => a.at - b.at);
}

/** Such as a comparison for `sort` cannot: it is the hottest of all, and needs no tick. */
function mayRecur(body: Expression): boolean {
  switch (body.type) {
    case "Identifier":
    case "Literal":
    case "ThisExpression":
      return false;
    case "UnaryExpression":
      return mayRecur(body.argument);
    case "MemberExpression":
      return (
        body.object.type === "Super" ||
        mayRecur(body.object) ||
        (body.computed && mayRecur(body.property as Expression))
      );
    case "BinaryExpression":
    case "LogicalExpression":
      return body.left.type === "PrivateIdentifier" || mayRecur(body.left) || mayRecur(body.right);
    case "ConditionalExpression":
      return mayRecur(body.test) || mayRecur(body.consequent) || mayRecur(body.alternate);
    default:
      return true;
  }
}

/** Where code may go first: a directive, such as "use strict", is none any more once something stands before it. */
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
