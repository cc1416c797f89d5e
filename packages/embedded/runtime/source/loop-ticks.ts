import { type AnyNode, type Function, type Node, parse, type Program, type Statement } from "acorn";
import { fullAncestor } from "acorn-walk";
import { ticksName } from "./bundled-script.ts";
import { computingFunctions } from "./computing-functions.ts";
import { type Insertion, shiftMappings } from "./loop-ticks-map.ts";

/**
 * A loop pays for this many rounds at once, and counts them in a variable of its function. Paying for each round made
 * short rounds three times slower. While each tick asks the host, because ticks may be slow, it pays for each round.
 */
const paidRounds = 8;

// Ticks use variables of a function: those of a vm context's global scope are a hundred times slower.
const pay = (ticks: number): string => `(__convexFuel[0]-=${String(ticks)})<0&&__convexRefuel()`;
const roundTick = `++__convexRounds>${String(paidRounds)}&&(__convexRounds=__convexPay())`;
const firstRound = `__convexFuel[0]<${String(paidRounds)}?${String(paidRounds)}:1`;
const countRounds = `let __convexRounds=${firstRound};`;
const prologue =
  `;const {fuel:__convexFuel,refuel:__convexRefuel}=${ticksName};` +
  `const __convexPay=()=>{${pay(paidRounds)};return ${firstRound}};${countRounds}`;

type Ticked = { readonly code: string; readonly sourceMap: string };

/**
 * Puts a tick into the body of every loop and of every function, except those that only compute, and into the initializers
 * of class fields. A tick without fuel calls `refuel`, which may throw. From then on every tick calls it again, so that no
 * `catch` can keep the code running. Adds or removes no line, and shifts the source map's columns. Throws SyntaxError if
 * acorn cannot parse the code. The code must run within a function, because variables of the global scope are slow.
 */
export function withTicks(code: string, sourceMap: string): Ticked {
  const program = parse(code, { ecmaVersion: "latest", sourceType: "module" });
  const insertions = tickInsertions(program, code);
  const map = JSON.parse(sourceMap) as { readonly mappings: string };
  return {
    code: insert(code, insertions),
    sourceMap: JSON.stringify({ ...map, mappings: shiftMappings(map.mappings, code, insertions) }),
  };
}

function tickInsertions(program: Program, code: string): readonly Insertion[] {
  const openers: Insertion[] = [{ at: afterDirectives(program.body, program.start), text: prologue }];
  const closers: Insertion[] = [];
  const around = ({ start, end }: AnyNode, before: string, after: string): void => {
    openers.push({ at: start, text: before });
    closers.push({ at: end, text: after });
  };
  const tickRounds = (body: Statement): void => {
    if (body.type === "BlockStatement") openers.push({ at: body.start + 1, text: `${roundTick};` });
    else around(body, `{${roundTick};`, "}");
  };
  const withLoops = new Set<Node>();
  const withoutTick = computingFunctions(program);
  const tickFunction = (node: Function): void => {
    const { body } = node;
    if (withoutTick.has(node)) return;
    if (body.type === "BlockStatement") {
      const text = withLoops.has(node) ? `;${pay(paidRounds)};${countRounds}` : `;${pay(1)};`;
      openers.push({ at: afterDirectives(body.body, body.start + 1), text });
    } else around(body, `(${pay(1)},`, ")");
  };
  // Visits inner nodes first.
  fullAncestor(program, (node, _, ancestors) => {
    switch (node.type) {
      case "ForStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "WhileStatement":
      case "DoWhileStatement": {
        const scope = ancestors.slice(0, -1).findLast(ownsVariables);
        if (scope !== undefined) withLoops.add(scope);
        tickRounds(node.body);
        return;
      }
      case "StaticBlock":
        if (withLoops.has(node)) openers.push({ at: code.indexOf("{", node.start) + 1, text: countRounds });
        return;
      case "PropertyDefinition":
        if (node.value != null && !takesName(node.value)) around(node.value, `(${pay(1)},`, ")");
        return;
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        tickFunction(node);
    }
  });
  // At one position, insertions that end a node precede those that start one, and outer nodes start before
  // inner ones.
  return [...closers, ...openers.reverse()].sort((a, b) => a.at - b.at);
}

/** Whether an initializer is a function or a class, which may get its name from the field. It runs nothing. */
function takesName({ type }: Node): boolean {
  return type === "FunctionExpression" || type === "ArrowFunctionExpression" || type === "ClassExpression";
}

function ownsVariables({ type }: Node): boolean {
  return (
    type === "FunctionDeclaration" ||
    type === "FunctionExpression" ||
    type === "ArrowFunctionExpression" ||
    type === "StaticBlock"
  );
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
