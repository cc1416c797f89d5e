import {
  type AnyNode,
  type Comment,
  type Expression,
  type ForStatement,
  type Function,
  type Node,
  parse,
  type Program,
  type Statement,
} from "acorn";
import { fullAncestor } from "acorn-walk";
import {
  type Allocation,
  allocationChecks,
  allocationOf,
  allocationOfBits,
  allocationOfNames,
  allocationOfPattern,
  allocationOfSpread,
  type AsCall,
  makesBigIntegers,
  matchingOf,
  powerOf,
  watchedPattern,
} from "./allocations.ts";
import { ticksName } from "./bundled-script.ts";
import { escapesOfPattern, escapesOfTemplate, plainComments, type Replacement } from "./latin1.ts";
import { counterOf } from "./loop-counter.ts";
import { type Insertion, shiftMappings } from "./loop-ticks-map.ts";
import { isCostly, namedFunctions } from "./named-functions.ts";
import { patternNames } from "./pattern-names.ts";
import { isShortClosure } from "./short-closures.ts";
import { isInert, isStoringConstructor } from "./storing-constructors.ts";
import { afterDirectives, placeBeforeLongCode, startOf } from "./tick-places.ts";

/**
 * The fuel that a loop pays at once, for many rounds: paying for each round made short rounds three times slower. If there is
 * less fuel, rounds may be slow, and the loop pays for each one.
 */
const loopCost = 20;

/** The rounds that a loop pays for at once. A round that calls something costs 1, as a call does, since it may be slow. */
const paidRounds = { calling: loopCost, computing: 8 * loopCost };

// Ticks use variables of a function: those of a vm context's global scope are a hundred times slower.
const payForLoop = `(__convexFuel[0]-=${String(loopCost)})<0&&__convexRefuel()`;
// V8 makes better code of a decrement than of a subtraction.
const payForCall = "--__convexFuel[0]<0&&__convexRefuel()";
// The promises that code makes are counted, too: those that wait have to be ended one by one.
const countPromise = "++__convexFuel[1]";
const roundsLeft = (atLeast: number, paid: number): string =>
  `__convexFuel[0]<${String(loopCost)}?${String(atLeast)}:${String(paid)}`;

/*
 * A call in a loop makes the loop slow even if it is never made: after a call that returns, V8 must read objects and arrays
 * again. So most loops become two, and the inner one has the rounds between two ticks, without a call.
 *
 *     for (INIT; TEST; UPDATE) BODY
 *     for (INIT;;) { let left = ROUNDS; for (; left > 0 && (TEST); left--, UPDATE) BODY; if (left > 0) break; TICK }
 *
 * The inner loop leaves `left` at zero only if it has used up its rounds. So a `break` in BODY ends both loops. V8 knows the
 * range of a variable that only an update changes. `left-- > 0` in the test took a third longer. If a variable of the loop
 * counts its rounds, no second one does:
 *
 *     for (let i = 0;;) { const stop = i + ROUNDS; for (; i < stop && (TEST); i++) BODY; if (i < stop) break; TICK }
 */
type Rounds = { readonly begin: string; readonly areLeft: string; readonly count: string };
const roundsOf = (counter: string | null, paid: number): Rounds =>
  counter === null
    ? {
        begin: `{let __convexLeft=${roundsLeft(1, paid)};`,
        areLeft: "__convexLeft>0",
        count: "__convexLeft--",
      }
    : {
        begin: `{const __convexStop=${counter}+(${roundsLeft(1, paid)});`,
        areLeft: `${counter}<__convexStop`,
        count: "",
      };

// The other loops count their rounds in a variable of their function.
const startRounds = roundsLeft(0, paidRounds.calling);
const countRounds = `let __convexRounds=${startRounds};`;
const roundTick = `--__convexRounds<0&&(__convexRounds=__convexPay())`;
const prologue =
  `;const {fuel:__convexFuel,refuel:__convexRefuel,reserve:__convexReserve}=${ticksName};` +
  allocationChecks +
  `const __convexPay=()=>{${payForLoop};return ${startRounds}};${countRounds}`;

const space = String.raw`\s|//[^\n]*\n|/\*[^]*?\*/`;
const emptyInit = new RegExp(String.raw`for(?:${space})*\((?:${space})*;`, "y");
const semicolon = new RegExp(String.raw`(?:${space}|\))*;`, "y");

type Ticked = { readonly code: string; readonly sourceMap: string };

/**
 * Puts a tick into the body of every loop, into the functions and constructors that could call themselves or be called by
 * a loop within V8, and into the initializers of class fields. A tick without fuel calls `refuel`, which may throw. From then on every tick calls it again, so that no
 * `catch` can keep the code running. Adds or removes no line, and shifts the source map's columns. Throws SyntaxError if
 * acorn cannot parse the code. The code must run within a function, because variables of the global scope are slow.
 */
export function withTicks(code: string, sourceMap: string): Ticked {
  const comments: Comment[] = [];
  const program = parse(code, { ecmaVersion: "latest", sourceType: "module", onComment: comments });
  const { insertions, replacements } = changesOf(program, code);
  const map = JSON.parse(sourceMap) as { readonly mappings: string };
  return {
    code: insert(replace(plainComments(code, comments), replacements), insertions),
    sourceMap: JSON.stringify({ ...map, mappings: shiftMappings(map.mappings, code, insertions) }),
  };
}

function replace(code: string, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let end = 0;
  for (const { from, text } of replacements.toSorted((a, b) => a.from - b.from)) {
    parts.push(code.slice(end, from), text);
    end = from + text.length;
  }
  return parts.join("") + code.slice(end);
}

type Changes = { readonly insertions: readonly Insertion[]; readonly replacements: readonly Replacement[] };

function changesOf(program: Program, code: string): Changes {
  const replacements: Replacement[] = [];
  const openers: Insertion[] = [{ at: afterDirectives(program.body, program.start), text: prologue }];
  const closers: Insertion[] = [];
  const around = ({ start, end }: Node, before: string, after: string): void => {
    openers.push({ at: start, text: before });
    closers.push({ at: end, text: after });
  };
  const splitLoop = (node: ForStatement): void => {
    const { init, test, update } = node;
    const paid = calling.has(node) ? paidRounds.calling : paidRounds.computing;
    const { begin, areLeft, count } = roundsOf(counterOf(node), paid);
    const testAt = init == null ? endOf(emptyInit, node.start) : endOf(semicolon, init.end);
    openers.push({ at: testAt, text: `;)${begin}for(;${areLeft}${test == null ? "" : "&&("}` });
    if (test != null) closers.push({ at: test.end, text: ")" });
    if (update == null) openers.push({ at: endOf(semicolon, test?.end ?? testAt), text: count });
    else if (count !== "") openers.push({ at: update.start, text: `${count},` });
    closers.push({ at: node.end, text: `;if(${areLeft})break;${payForLoop}}` });
  };
  const endOf = (pattern: RegExp, from: number): number => {
    pattern.lastIndex = from;
    pattern.test(code);
    return pattern.lastIndex;
  };
  const tickRounds = (body: Statement): void => {
    if (body.type === "BlockStatement") openers.push({ at: body.start + 1, text: `${roundTick};` });
    else around(body, `{${roundTick};`, "}");
  };
  const withLoops = new Set<Node>();
  const withFunctions = new Set<Node>();
  const calling = new Set<Node>();
  const named = namedFunctions(program);
  const patterns = patternNames(program, code);
  const mayBeBig = makesBigIntegers(code);
  const tickFunction = (node: Function, ancestors: readonly AnyNode[]): void => {
    const parent = ancestors.at(-2);
    if (parent?.type === "MethodDefinition" && isStoringConstructor(parent)) return;
    if (isShortClosure(node, ancestors)) return;
    const isLate = named.nodes.has(node) && !node.async;
    const place = isLate ? placeBeforeLongCode(node, named.mayTakeLong) : startOf(node);
    if (place === null) return;
    const count = node.async ? `${countPromise},` : "";
    if ("value" in place) around(place.value, `(${count}${payForCall},`, ")");
    else {
      const text = withLoops.has(node) ? `${payForLoop};${countRounds}` : `${payForCall};`;
      openers.push({ at: place.at, text: `;${count}${text}` });
    }
  };
  const makeCall = (node: Node, call: AsCall | null): void => {
    if (call === null) return;
    around(node, call.before, ")");
    replacements.push({ from: call.from, text: ",".padEnd(call.to - call.from) });
  };
  const escapeAll = (escapes: ReturnType<typeof escapesOfPattern>): void => {
    for (const { replacement, insertion } of escapes) {
      replacements.push(replacement);
      openers.push(insertion);
    }
  };
  const reserve = (allocation: Allocation | null): void => {
    if (allocation === null) return;
    const { value, before, after } = allocation;
    // Without parentheses a comma would separate arguments.
    const isList = value.type === "SequenceExpression";
    around(value, isList ? `${before}(` : before, isList ? `)${after}` : after);
  };
  // Visits inner nodes first.
  fullAncestor(program, (node, _, ancestors) => {
    switch (node.type) {
      case "ForStatement":
      case "WhileStatement":
      case "ForInStatement":
      case "ForOfStatement":
      case "DoWhileStatement": {
        if (node.type === "ForInStatement") reserve(allocationOfNames(node.right));
        const outside = ancestors.slice(0, -1);
        if (canBeSplit(node, outside.at(-1), withFunctions)) {
          splitLoop(node);
          return;
        }
        const scope = outside.findLast(ownsVariables);
        if (scope !== undefined) withLoops.add(scope);
        tickRounds(node.body);
        return;
      }
      case "CallExpression":
        reserve(allocationOf(node));
        reserve(watchedPattern(node, patterns));
        makeCall(node, matchingOf(node, code));
        if (!isCostly(node) || (node.callee.type === "Identifier" && named.cheapNames.has(node.callee.name)))
          return;
        for (const each of ancestors) calling.add(each);
        return;
      case "NewExpression":
      case "SpreadElement":
      case "TaggedTemplateExpression":
        if (node.type === "NewExpression") {
          reserve(allocationOf(node));
          reserve(watchedPattern(node, patterns));
        }
        if (node.type === "TaggedTemplateExpression") escapeAll(escapesOfTemplate(node, code));
        if (node.type === "SpreadElement") reserve(allocationOfSpread(node, ancestors.slice(0, -1)));
        for (const each of ancestors) calling.add(each);
        return;
      case "Literal":
        reserve(watchedPattern(node, patterns));
        escapeAll(escapesOfPattern(node, code));
        return;
      case "VariableDeclarator":
        if (node.init != null) reserve(allocationOfPattern(node.id, node.init));
        return;
      case "BinaryExpression":
        reserve(allocationOfBits(node, mayBeBig));
        makeCall(node, powerOf(node, code));
        return;
      case "AssignmentExpression":
        reserve(allocationOfBits(node, mayBeBig));
        reserve(allocationOfPattern(node.left, node.right));
        return;
      case "StaticBlock":
        if (withLoops.has(node)) openers.push({ at: code.indexOf("{", node.start) + 1, text: countRounds });
        return;
      case "PropertyDefinition":
        for (const each of ancestors) withFunctions.add(each);
        if (node.value != null && needsTick(node.value)) around(node.value, `(${payForCall},`, ")");
        return;
      case "FunctionDeclaration":
      case "FunctionExpression":
      case "ArrowFunctionExpression":
        for (const each of ancestors) withFunctions.add(each);
        tickFunction(node, ancestors);
    }
  });
  // At one position, insertions that end a node precede those that start one, and outer nodes start before
  // inner ones.
  return { insertions: [...closers, ...openers.reverse()].sort((a, b) => a.at - b.at), replacements };
}

/**
 * Not a loop with a label, since a `continue` would not update. Not one with its own variables and functions, since each round
 * gives functions variables of its own. Not `while`, since esbuild has made it `for`.
 */
function canBeSplit(
  loop: Node,
  parent: Node | undefined,
  withFunctions: ReadonlySet<Node>,
): loop is ForStatement {
  if (parent?.type === "LabeledStatement" || loop.type !== "ForStatement") return false;
  const { init } = loop as ForStatement;
  return init?.type !== "VariableDeclaration" || init.kind === "var" || !withFunctions.has(loop);
}

/** Whether an initializer may run code. A class runs its own code, and may get its name from the field. */
function needsTick(initializer: Expression): boolean {
  return initializer.type !== "ClassExpression" && !isInert(initializer);
}

function ownsVariables({ type }: Node): boolean {
  return (
    type === "FunctionDeclaration" ||
    type === "FunctionExpression" ||
    type === "ArrowFunctionExpression" ||
    type === "StaticBlock"
  );
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
