import { SourceMap, type SourceMapPayload } from "node:module";
import vm from "node:vm";
import { transform } from "esbuild";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { executionReserve } from "../native/reserve.ts";
import { type Ticks, ticksName } from "./bundled-script.ts";
import { withTicks } from "./loop-ticks.ts";

const noMap = JSON.stringify({ version: 3, sources: [], names: [], mappings: "" });

const ticked = (code: string): string => withTicks(code, noMap).code;

/** With a little fuel a loop pays for each round, with much fuel it pays for many rounds at once. */
const [little, much] = [12, 125];

const ticks = (check: () => void, granted = little): Ticks => {
  const fuel = new Int32Array(2);
  const refuel = () => {
    fuel[0] = 0;
    check();
    fuel[0] = granted;
  };
  return { fuel, refuel, reserve: executionReserve };
};

/** As while each tick asks the host. */
const ticksOfSlowCode = (check: () => void): Ticks => {
  const fuel = new Int32Array(2);
  const refuel = () => {
    check();
    fuel[0] = 1;
  };
  return { fuel, refuel, reserve: executionReserve };
};

/** Returns the values that a script logs, also in microtasks after its end. */
async function logOf(code: string, granted = little): Promise<readonly unknown[]> {
  const log: unknown[] = [];
  const context: { done?: Promise<void> } = vm.createContext({
    log: (value: unknown) => void log.push(value),
    [ticksName]: ticks(() => undefined, granted),
  });
  try {
    vm.runInContext(code, context, { timeout: 5_000 });
    await context.done;
  } catch (error) {
    log.push(String(error));
  }
  return JSON.parse(JSON.stringify(log)) as unknown[];
}

/** Generates a statement of a program. `n` counts down and limits the number of rounds. */
const program = fc.letrec<{ statement: string; body: string; expression: string; callback: string }>(
  (tie) => ({
    expression: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom("n", "n % 3", "({ n })", "[n, n * 2]", "(n, -n)", "`t${n}`", "this === undefined"),
      fc.constantFrom(
        "new Array(n & 3)",
        "Array(n & 3).fill(n)",
        "[n, ...[n, ...`${n}`]]",
        "[...new Uint8Array(n & 3)]",
      ),
      tie("callback").map((callback) => `(${callback})(n)`),
      tie("expression").map((inner) => `[${inner}].map((x) => x)`),
    ),
    callback: fc.oneof(
      { maxDepth: 3 },
      tie("expression").map((inner) => `(a) => ${inner}`),
      tie("expression").map((inner) => `(a, b = (() => 1)()) => ({ b, c: ${inner} })`),
      tie("expression").map((inner) => `(a) => (b) => ${inner}`),
      tie("expression").map((inner) => `function f(a) { "use strict"; return ${inner}; }`),
      fc.constantFrom(
        "function f(a) { return (a << 3) | (a >>> 29); }",
        "(a) => { const b = a + 1; if (b > 2) return [b, a]; return { b }; }",
        "(a) => { const f = (k) => (k < 2 ? k : f(k - 1) + f(k - 2)); return f(a % 5); }",
        "(a) => { const g = (k) => k > 0 && f(k); function f(k) { if (k > 3) return g(k - 2); let s = k; for (const x of [1, 2]) s += leaf(x); return s + leaf(s); } const leaf = (x) => x + a; return f(a); }",
        "(a) => { const f = (k) => { 'use strict'; const m = k - 1; if (m < 0) return [this === undefined]; return [f(m), (m, k)]; }; return f(3); }",
        "(a) => { class P { #z; f = () => this; x = 0; constructor(x, y = -1) { this.x = x; this.y = y; this.#z = [y]; } z() { return this.#z; } } class Q extends P { constructor(x) { super(x, void 0), this.w = !x; } } return [new P(a), new Q(a), new Q(a).z(), new P(1, 2).f().y]; }",
        "(a) => { class A { static b = []; static { for (let i = 0; i < 12; i++) A.b.push(i); } } return A.b; }",
        "(a) => { let s = 0; for (let i = 0; i < 20; i++) { if (i % 3) continue; s += i; } while (s > 9) s -= 2; return s; }",
      ),
      tie("expression").map((inner) => `(a) => [...(function* () { yield 1; yield ${inner}; })()]`),
      tie("expression").map(
        (inner) =>
          `(a) => new (class extends Array { constructor() { super(); this.push(${inner}); } })()[0]`,
      ),
      fc.constant("(a, b) => a > b ? a : -a"),
    ),
    body: fc.oneof(
      { maxDepth: 4 },
      tie("statement"),
      tie("statement").map((inner) => `{ ${inner} }`),
      fc.constantFrom(";", "continue;", "break;", "if (n % 2) continue; else break;", "{}"),
    ),
    statement: fc.oneof(
      { maxDepth: 4 },
      tie("expression").map((value) => `log(${value});`),
      tie("body").map((body) => `for (let i = 0; i < 3 && n-- > 0; i++) ${body}`),
      tie("body").map((body) => `for (let i = 0; n-- > 0; i += 1) { log(i); ${body} }`),
      tie("body").map(
        (body) =>
          `for (let i = 0; i < 9 && n-- > 0; i++) { for (let i = 0; i < 2; i++) log(i); if (i === 3) [i] = [6]; ${body} }`,
      ),
      tie("body").map((body) => `for (var v = 0, w = () => v; v < 2 && n-- > 0; log(w())) { v++; ${body} }`),
      tie("body").map((body) => `for (;(n-- > 0);) ${body}`),
      tie("body").map((body) => `for ((n--); ; ) { if (n-- < 3) break; ${body} }`),
      tie("body").map(
        (body) => `for (let [i, j] = [0, (9)]; i < j && n-- > 0; i++, j--) { log([i, j]); ${body} }`,
      ),
      tie("body").map((body) => `for (let i = 9; i > 0; (i--, --n)) ${body}`),
      tie("body").map((body) => `for (let i = 9; /* ) */ n-- > 0 /* ; */; (i -= 2)) { log(i); ${body} }`),
      tie("body").map((body) => `for (let i = 0; ; ) { if (i++ > 3 || n-- < 0) break; ${body} }`),
      tie("body").map((body) => `while (n-- > 0) ${body}`),
      tie("body").map((body) => `while /* ( */ ((n--, n > 0)) for (; n-- > 3;) while (n-- > 6) ${body}`),
      tie("body").map((body) => {
        const inner = body.replaceAll("outer", "_outer");
        return `outer: for (let i = 0; i < 3; i++) { while (n-- > 0) { if (n % 3 === 0) continue outer; ${inner} } log(i); }`;
      }),
      tie("body").map((body) => `do ${body} while (n-- > 0);`),
      tie("body").map((body) => `for (const x of [1, 2]) ${body}`),
      tie("body").map((body) => `for (const k in { a: 1, b: 2 }) ${body}`),
      tie("body").map((body) => `for await (const x of [1, Promise.resolve(2)]) ${body}`),
      tie("body").map((body) => {
        // A label may not be declared twice. Inner labels get an underscore for each loop around them.
        const inner = body.replaceAll("outer", "_outer");
        return `outer: for (const x of [1, 2, 3]) { for (;;) { if (n-- < 0) break outer; if (x === 2) continue outer; break; } ${inner} }`;
      }),
      fc.tuple(tie("body"), tie("body")).map(([a, b]) => `for (const x of [1, 2]) if (n % 2) ${a} else ${b}`),
      fc
        .tuple(tie("statement"), tie("statement"))
        .map(
          ([a, b]) =>
            `try { ${a} throw new Error("t"); } catch (e) { log(e.message); ${b} } finally { log("f"); }`,
        ),
      fc.tuple(tie("statement"), tie("statement")).map(([a, b]) => `{ ${a}\n${b} }`),
      tie("expression").map(
        (value) =>
          `{ const fs = []; for (let i = 0; i < 2; i++) fs.push(() => [i, ${value}]); log(fs.map((f) => f())); }`,
      ),
    ),
  }),
).statement;

describe("a script with ticks", () => {
  test("a script with ticks does the same as without", async () => {
    await fc.assert(
      fc.asyncProperty(program, async (body) => {
        const code = `"use strict";\nglobalThis.done = (async () => { let n = 12; { ${body} } log(n); })();`;
        const plain = await logOf(code);
        expect(await logOf(ticked(code))).toEqual(plain);
        expect(await logOf(ticked(code), much)).toEqual(plain);
        // A program with a syntax error would prove nothing.
        expect(plain.join()).not.toContain("SyntaxError");
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    ["for", "for (let i = 0; i < 1_000; i++) s += i;"],
    ["for without a test", "for (let i = 0; ; i++) { if (i > 999) break; s += i; }"],
    ["while", "let i = 0; while (i < 1_000) s += i++;"],
    ["do", "let i = 0; do s += i; while (++i < 1_000);"],
    ["for-of", "for (const i of Array(1_000).keys()) s += i;"],
    ["continue", "for (let i = 0; i < 2_000; i++) { if (i > 999) continue; s += i; }"],
    ["a call in each round", "for (let i = 0; i < 1_000; i++) s += ((x) => x + step())(i) - 1;"],
    ["a loop in a loop", "for (let i = 0; i < 10; i++) for (let j = 0; j < 100; j++) s += i * 100 + j;"],
    [
      "a label",
      "a: for (let i = 0; i < 2_000; i++) { for (;;) { if (i > 999) continue a; s += i; break; } }",
    ],
    [
      "functions",
      "const fs = []; for (let i = 0; i < 1_000; i++) fs.push(() => i); for (const f of fs) s += f();",
    ],
    [
      "fields",
      "const cs = []; for (let i = 0; i < 1_000; i++) cs.push(class { x = i; }); for (const c of cs) s += new c().x;",
    ],
    ["await", "for (let i = 0; i < 1_000; i++) s += await i;"],
  ])("a long loop has all its rounds: %s", async (_, body) => {
    const code = `globalThis.done = (async () => { const step = () => 1; let s = 0; ${body} log(s); })();`;
    expect(await logOf(ticked(code))).toEqual([499_500]);
    expect(await logOf(ticked(code), much)).toEqual([499_500]);
  });

  test("a script with ticks has the same lines", () => {
    fc.assert(
      fc.property(program, (body) => {
        const code = `(async () => {\nlet n = 12;\n${body}\n})();`;
        expect(ticked(code).split("\n")).toHaveLength(code.split("\n").length);
      }),
    );
  });

  test.each([
    ["a loop without a body", "for (;;);"],
    ["a loop that computes", "for (let i = 0; i < 1; i += 0);"],
    ["a short loop in an endless one", "for (;;) for (let i = 0; i < 3; i += 1);"],
    ["a loop of one statement", "while (true) step();"],
    ["do", "do step(); while (true)"],
    ["a loop in a loop", "for (;;) for (const _ of [1]) ;"],
    ["calls without loops", "const f = (depth) => depth && f(depth - 1) + f(depth - 1); f(40);"],
    ["a getter", "const o = { get x() { return o.y + o.y; }, get y() { return 1; } }; for (;;) o.x;"],
    [
      "getters that are arrow functions",
      "let o = { x: 1 }; for (let i = 0; i < 60; i += 1) { const p = o; o = Object.defineProperty({}, 'x', { get: () => p.x + p.x }); } o.x;",
    ],
    [
      "operators on objects",
      "let o = 1; for (let i = 0; i < 60; i += 1) { const p = o; o = { valueOf: () => p + p }; } +o;",
    ],
    [
      "proxies of proxies",
      "let o = { x: 1 }; for (let i = 0; i < 60; i += 1) o = new Proxy(o, { get: (t) => t.x + t.x }); o.x;",
    ],
    [
      "operators on objects with bound values",
      "function add(a, b) { return a + b; } let o = 1; for (let i = 0; i < 60; i += 1) o = { valueOf: add.bind(null, o, o) }; +o;",
    ],
    ["calls of one name", "const f = (n) => (n < 0 ? 0 : f(n - 1) + f(n - 1)); f(60);"],
    ["calls of two names", "const f = (n) => n < 0 || g(n); const g = (n) => f(n - 1) + f(n - 1); f(60);"],
    [
      "calls of a function that calls leaves",
      "const leaf = (o) => o.x; const f = (o) => leaf(o) + leaf(o); let o = { x: 1 }; for (let i = 0; i < 60; i += 1) { const p = o; o = { get x() { return f(p); } }; } f(o);",
    ],
    [
      "a leaf that calls its argument",
      "const call = (f, n) => f(n) + f(n); const g = (n) => n < 0 || call((m) => g(m - 1), n); g(60);",
    ],
    [
      "a leaf within a loop of V8",
      "const leaf = (n) => n > 1; Array.prototype.find.call({ length: 2 ** 53 - 1 }, (n) => leaf(n));",
    ],
    [
      "a leaf that makes an endless iterator",
      "const leaf = (o) => [...o]; leaf({ [Symbol.iterator]() { return this; }, next: () => ({ value: 1 }) });",
    ],
    [
      "a method that calls a leaf that calls it",
      "const o = { m() { return leaf() + leaf(); } }; const leaf = () => o.m(); o.m();",
    ],
    [
      "arguments by default",
      "const f = (n, a = n > 0 && f(n - 1), b = n > 0 && f(n - 1)) => (n < 99 ? 1 : f(n)); f(60);",
    ],
    ["an endless loop after a guard", "const f = (n) => { if (n < 2) return n; for (;;); }; f(1); f(2);"],
    ["a loop of calls that return at once", "const f = (n) => (n < 2 ? n : f(n - 1)); for (;;) f(1);"],
    ["a loop of constructors", "class A { constructor(x) { this.x = x; } } for (;;) new A(1);"],
    [
      "a setter that a constructor meets",
      "class A { constructor(x) { this.x = x; } set x(n) { if (n > 0) { new A(n - 1); new A(n - 1); } } } new A(60);",
    ],
    [
      "setters that a constructor meets above its class",
      "class A { constructor(x) { this.x = x; this.y = x; } } const make = (n) => { if (n > 0) { new A(n - 1); } }; Object.setPrototypeOf(A.prototype, { set x(n) { make(n); }, set y(n) { make(n); } }); new A(60);",
    ],
    [
      "a proxy that a constructor meets",
      "class A { constructor(x) { this.x = x; this.y = x; } } Object.setPrototypeOf(A.prototype, new Proxy({}, { set: (_, k, n) => (n > 0 && new A(n - 1), true) })); new A(60);",
    ],
    [
      "a constructor whose super returns a proxy",
      "class B { constructor(n) { return new Proxy({}, { set: () => (n > 0 && new A(n - 1), true) }); } } class A extends B { constructor(n) { super(n); this.x = n; this.y = n; } } new A(60);",
    ],
    [
      "an argument by default of a constructor",
      "let n = 60; class A { constructor(x = n-- > 0 && [new A(), n++, new A(), n++]) { this.x = x; } } new A();",
    ],
    [
      "an iterator that a constructor meets",
      "class A { constructor(x) { this.x = [...x]; } } new A({ [Symbol.iterator]() { return this; }, next: () => ({ value: 1 }) });",
    ],
    [
      "an array of instances",
      "class A { constructor(x) { this.x = x; } } Array.from({ length: 2 ** 31 }, (x) => new A(x));",
    ],
    [
      "deep classes",
      "let A = class { }; for (let i = 0; i < 60; i += 1) { const B = A; A = class extends B { constructor(x) { super(x); new B(x); } }; } new A(1);",
    ],
    [
      "initializers of class fields",
      "let n = 60; class A { x = n-- > 0 ? [new A(), n++, new A(), n++] : 0; constructor(a) {} } new A(1);",
    ],
    [
      "an endless iterator",
      "new Set({ [Symbol.iterator]() { return this; }, next() { return { value: 1 }; } });",
    ],
    ["an endless iterator of arrows", "Iterator.from({ next: () => ({ value: 1 }) }).some((x) => x > 3);"],
    [
      "an endless array",
      "Array.prototype.find.call({ length: 2 ** 53 - 1 }, function (x) { return x > 3; });",
    ],
    ["an array of objects", "Array.from({ length: 2 ** 31 }, () => ({ a: 1 }));"],
    ["a loop in a static block", "class A { static { for (;;); } }"],
    [
      "many short loops",
      "const f = () => { for (let i = 0; i < 3; i += 1); }; new Array(1e7).fill(0).forEach(f);",
    ],
    [
      "many short loops in a recursion",
      "const f = (n) => { for (const m of [1, 2]) if (n > 0) f(n - 1); }; f(60);",
    ],
    ["promises", "const f = () => Promise.resolve().then(f); await f();"],
  ])("a script with ticks can be stopped: %s", async (_, code) => {
    let checks = 0;
    let stop: (error: Error) => void = () => undefined;
    const stopped = new Promise((resolve) => (stop = resolve));
    const context: { done?: Promise<void> } = vm.createContext({
      step: () => undefined,
      [ticksName]: ticks(() => {
        checks += 1;
        if (checks < 3) return;
        const error = new Error("stopped");
        stop(error);
        throw error;
      }),
    });
    vm.runInContext(ticked(`globalThis.done = (async () => { ${code} })()`), context);
    context.done?.catch(() => undefined);
    expect(await stopped).toMatchObject({ message: "stopped" });
  });

  test("slow rounds are checked one by one", () => {
    let checks = 0;
    const context = vm.createContext({
      slow: () => undefined,
      [ticksName]: ticksOfSlowCode(() => (checks += 1)),
    });
    vm.runInContext(ticked("for (let i = 0; i < 20; i += 1) slow();"), context);
    expect(checks).toBeGreaterThanOrEqual(19);
  });

  test("a script with ticks cannot catch the stop", () => {
    let checks = 0;
    const context = vm.createContext({
      [ticksName]: ticks(() => {
        checks += 1;
        throw new Error("stopped");
      }),
    });
    const code = "for (;;) { try { for (;;); } catch {} try { (() => { for (;;); })() } catch {} }";
    expect(() => {
      vm.runInContext(ticked(code), context);
    }).toThrow("stopped");
    expect(checks).toBeLessThan(5);
  });
});

test("comments keep no character that would double the memory of a script", async () => {
  const code = '/** → ü */ const a = "/* \\u2192 */"; // …\nlog(a /* ≤ 😀 */);';
  const result = ticked(code);
  expect(result).not.toMatch(/[^\0-\xff]/);
  expect(result).toContain("/** ? ü */");
  expect(await logOf(result)).toEqual(["/* → */"]);
});

test("the source map still maps every place to its source", async () => {
  const source = [
    "const pick = (xs: number[]) => xs",
    "  .filter((x) => x > 1 && check(x))",
    "  .map((x) => ({ x, y: twice(x) }));",
    "function check(x: number): boolean { while (x > 5) x--; return x > 0; }",
    "const twice = (x: number) => check(x) ? x * 2 : fail(x);",
    "function fail(x: number): never { throw new Error(`no ${x}`); }",
    "for (const x of pick([1, 2, 3])) console.log(x);",
  ].join("\n");
  const { code, map } = await transform(source, { loader: "ts", sourcemap: "external", sourcefile: "a.ts" });
  const result = withTicks(code, map);
  const [before, after] = [map, result.sourceMap].map(
    (json) => new SourceMap(JSON.parse(json) as SourceMapPayload),
  );
  const words = /(?:pick|filter|map|check|twice|fail|Error|while|console)\b/g;
  const placesOf = (text: string, sourceMap: SourceMap | undefined) =>
    text.split("\n").flatMap((line, row) =>
      [...line.matchAll(words)].map(({ 0: word, index }) => {
        const entry = sourceMap?.findEntry(row, index);
        return [word, entry && "originalLine" in entry ? [entry.originalLine, entry.originalColumn] : null];
      }),
    );
  expect(placesOf(result.code, after)).toEqual(placesOf(code, before));
});
