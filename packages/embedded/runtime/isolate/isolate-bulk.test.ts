import vm from "node:vm";
import { expect, test } from "vitest";
import { fuel } from "../execution/fuel.ts";
import { limitBulk } from "./isolate-bulk.ts";

const createRealm = () => vm.createContext(vm.constants.DONT_CONTEXTIFY);
const [plain, limited] = [createRealm(), createRealm()];
Object.assign(limited, { ArrayBuffer, Uint8Array });
limitBulk(limited);

const resultsOf = (code: string) =>
  [plain, limited].map((realm): unknown =>
    JSON.parse(vm.runInContext(`JSON.stringify(${code})`, realm) as string),
  );

test.each([
  "[[3, 1].concat([2], 4, [[5]]), [].concat.call('ab', 'cd').length]",
  "[[...[7, 8].keys()], [...[7, 8].entries()], Object.prototype.toString.call([].keys())]",
  "[Array(3).fill(1), Array(4).fill(1, 2), Array(4).fill(1, 1, -1)]",
  "[[1, [2, [3, [4]]]].flat(), [1, [2, [3, [4]]]].flat(2), [1, [2, [[], [4]]]].flat(Infinity), [[1]].flat(0)]",
  "[[2, 1, 3].toSorted(), [2, 1, 3].toSorted((a, b) => b - a), [1, 2].toReversed(), [1, 2].with(-1, 3)]",
  "[[1, 2, 3].toSpliced(1), [1, 2, 3].toSpliced(), [1, 2, 3].toSpliced(1, undefined), [1, 2].toSpliced(0, 1, 8, 9)]",
  "['a,b,c'.split(','), 'abc'.split(''), 'a,b,c'.split(',', 2), 'a1b'.split(/\\d/), 'a'.split(), 'an undefined b'.split(), 'undefined'.split(undefined, 1)]",
  "['a1b2'.match(/\\d/g), 'x'.match(/y/), [...'a1b2'.matchAll(/\\d/g)].map((each) => each[0])]",
  "[JSON.parse('[1,{\"a\":null}]'), JSON.parse('[1,2]', (_, value) => value === 1 ? 9 : value)]",
  "[Array.from('ab'), Array.from({ length: 2 }, (_, i) => i), Array.from(new Set([1])), Array.from([1], function () { return this.a; }, { a: 5 })]",
  "[class extends Array {}.from([1]), Array.from.call(Object, [1])]",
  "[1, 2].constructor === Array && Array.from([]) instanceof Array",
  "[[].fill, [].flat, [].keys, [].concat, ''.split, JSON.parse, Array.from].map((each) => [each.name, each.length, 'prototype' in each])",
  "[Promise.resolve, Promise.try, Promise.prototype.then].map((each) => [each.name, each.length, 'prototype' in each])",
  "Object.keys(Promise).concat(Object.keys(Promise.prototype))",
  "Promise.resolve.call(class Own extends Promise {}, 1).constructor.name",
  "[Object.keys([].fill), Object.keys(Array.prototype), Object.keys(JSON)]",
  "[[1, 2].map((x) => x + 1), [1, 2].map(function () { return this.a; }, { a: 5 }), [, 1].map(() => 2), [1].flatMap((x) => [x, x])]",
  "[[3, 1, 2].sort(), [3, 1, 2].sort((a, b) => b - a), [1, 2, 3].slice(), [1, 2, 3].slice(-2, -1), [1, 2, 3].reverse()]",
  "[[1, 2, 3].splice(1), [1, 2, 3].splice(), [1, 2, 3].splice(0, undefined), [1, 2].shift(), [1].unshift(2, 3), [1, 2, 3].copyWithin(0, 1)]",
  "[[1, 2].join(), [1, null].join('-'), String([1, [2]]), [1].toLocaleString(), [1, 2].reduce((a, x) => a + x), [1, 2].reduceRight((a, x) => a + x, '')]",
  "[[1, NaN].includes(NaN), [1, 1].indexOf(1, 1), [1, 1].lastIndexOf(1), [1, 1].lastIndexOf(1, 0), [1, 2].find((x) => x > 1), [1, 2].findLastIndex((x) => x < 2)]",
  "[[1].some((x) => x), [].every((x) => x), [1, 2].filter((x) => x > 1), [...[1, 2].values()]]",
  "['aba'.replace('a', 'c'), 'aba'.replaceAll('a', (x) => x + x), 'aba'.replace(/b/g, '[$&]')]",
  "[(-255n).toString(16), 5n.toLocaleString(), String(2n), BigInt.asIntN(8, 255n).toString(), BigInt.asUintN('4', -1n).toString(), BigInt.asIntN.length]",
  "[BigInt(7), BigInt('0x10'), BigInt(true), BigInt(3n), BigInt([5]), BigInt(Object('6')), BigInt({ valueOf: () => '8' }), BigInt({ [Symbol.toPrimitive]: (hint) => (hint === 'number' ? 9 : 0) })].map(String)",
  "[() => BigInt(), () => BigInt('x'), () => BigInt(1.5), () => BigInt(Symbol()), () => BigInt({}), () => new BigInt(1), () => BigInt({ [Symbol.toPrimitive]: () => ({}) }), () => BigInt({ [Symbol.toPrimitive]: 1 })].map((call) => { try { call(); } catch (error) { return error.constructor.name; } })",
  "[BigInt.name, BigInt.length, Object.getOwnPropertyNames(BigInt).sort(), Object.keys(BigInt), (1n).constructor === BigInt, Object(1n) instanceof BigInt, Object.getOwnPropertyDescriptor(globalThis, 'BigInt').enumerable]",
  "(() => { try { BigInt.prototype.toString.call(1); } catch (error) { return error instanceof TypeError; } })()",
  "[Object.keys('ab'), Object.keys({ a: 1 }), Object.entries([5]), Object.values('ab'), Object.assign({}, { a: 1 }, 'b', null)]",
  "[Object.getOwnPropertyNames('a'), Object.keys(new Uint8Array(2)), Object.getOwnPropertyDescriptors('a')]",
  "[['ab'.indexOf('b'), 'aba'.indexOf('a', 1), 'a'.indexOf(), 'aba'.indexOf('a', -9), 'a1'.indexOf(1)], ['aba'.lastIndexOf('a'), 'aba'.lastIndexOf('a', 1)]]",
  "[['ab'.includes('b'), 'ab'.includes('a', 1), 'undefined'.includes()], 'a,b'.split({ toString: () => ',' }), 'ab'.indexOf({ toString: () => 'b' }), Object('ab').indexOf('b')]",
  "['', [], {}].map((each) => ['includes', 'indexOf', 'lastIndexOf', 'split', 'replace', 'replaceAll'].map((name) => { try { return ''[name].call(null, each); } catch (error) { return error.constructor === TypeError; } }))",
  "(() => { try { 'a'.includes(/a/); } catch (error) { return [error.constructor === TypeError, error.message]; } })()",
  "(() => { try { 'a'.indexOf(Symbol()); } catch (error) { return error.constructor === TypeError; } })()",
  "(() => { try { 'a'.replaceAll(/a/, ''); } catch (error) { return error.constructor === TypeError; } })()",
  "['a.a'.replace('a', '$&$&'), 'a.a'.replaceAll('a', '[$`]'), 'ab'.replace({ [Symbol.replace]: () => 7 }), 'a'.split({ [Symbol.split]: (text, limit) => [text, limit] }, 3)]",
  "[[1, 2].values().map((x) => x + 1).toArray(), new Set([1]).values().drop(1).toArray(), (function* () { yield 5; })().take(1).toArray(), 'ab'[Symbol.iterator]().flatMap((x) => [x, x]).toArray()]",
  "(() => { let n = 0; const own = { next: () => ({ done: n > 2, value: n++ }), __proto__: Iterator.prototype }; return [own.filter((x) => x !== 1).toArray(), own.next === own.next]; })()",
  "(() => { const it = [1, 2, 3].values(); const bound = { next: it.next.bind(it), return: () => ({}), __proto__: Iterator.prototype }; return [bound.some((x) => x === 2), bound.reduce((a, b) => a + b, 10)]; })()",
  "(() => { try { Iterator.prototype.map.call(5, (x) => x); } catch (error) { return error.constructor === TypeError; } })()",
  "(() => { try { Iterator.prototype.toArray.call({}); } catch (error) { return error.constructor === TypeError; } })()",
  "['', 'sort', 'toSorted', 'indexOf', 'join'].map((name) => [''[name]?.length, [][name]?.length, [][name]?.name])",
  "Array.from({ length: 200_000 }, (_, i) => i % 3 ? i * 7919 % 100_003 : String(i)).sort().slice(0, 3_000)",
  "(() => { const list = Array.from({ length: 200_000 }, (_, i) => i); list[5] = undefined; delete list[6]; list[7] = null; const sorted = list.toSorted(); list.sort(); return [list.slice(-3), sorted.slice(-3), 199_999 in list, 199_999 in sorted, list.indexOf(null)]; })()",
  "Array.from({ length: 100 }, (_, i) => 'a'.repeat(5_000 + i * 7 % 100)).sort().map((each) => each.length)",
  "(() => { try { Array(200_000).fill(Symbol()).sort(); } catch (error) { return error.constructor === TypeError; } })()",
  "(() => { try { [].sort(null); } catch (error) { return error.message; } })()",
  "Array.from({ length: 2 ** 20 + 1 }, (_, i) => -i).sort((a, b) => a - b).slice(0, 9)",
  "(() => { const long = 'x'.repeat(2 ** 17); const list = Array(2 ** 17).fill(''); list[9] = long + ''; return [list.indexOf(long), list.includes(long), list.lastIndexOf(long), list.indexOf(long, 10), list.indexOf(long, -1), list.lastIndexOf(long, 8), list.lastIndexOf(long, -9), list.includes(long + 'x')]; })()",
  "(() => { try { [].map.call(null); } catch (error) { return error instanceof TypeError; } })()",
  "(() => { try { [].map(5); } catch (error) { return error.message; } })()",
  "(() => { try { [].reduce((a) => a); } catch (error) { return error.message; } })()",
  "(() => { try { Object.keys(null); } catch (error) { return error.message; } })()",
  "(() => { try { [].fill.call(null); } catch (error) { return error instanceof TypeError; } })()",
  "(() => { try { JSON.parse('{'); } catch (error) { return [error instanceof SyntaxError, error.message]; } })()",
  "(() => { try { new [].fill(); } catch (error) { return error instanceof TypeError; } })()",
])("a guarded function does the same as the built-in one: %s", (code) => {
  const [expected, actual] = resultsOf(code);
  expect(actual).toEqual(expected);
});

test.each([
  ["(x) => x", 1],
  ["async (x) => x", 1],
  ["String", 101],
  ["(async (x) => x).bind(null)", 101],
])("only built-in functions have a tick for each element of a list: %s", (call, ticks) => {
  fuel[0] = 1_000;
  vm.runInContext(`Array(100).fill(1).map(${call})`, limited);
  expect(fuel[0]).toBe(1_000 - ticks);
});

test("promises are settled in the order of the built-in ones", async () => {
  const code = `(async () => {
    const seen = [];
    const count = async (name) => { for (let i = 0; i < 6; i += 1) { await null; seen.push(name + i); } };
    const thenable = { then: (resolve) => { seen.push("then"); resolve(1); } };
    const inner = async () => { await null; return "inner"; };
    const ways = [
      async () => inner(), async () => await inner(), async () => thenable, async () => Promise.resolve(2),
      () => Promise.resolve().then(inner), () => inner().finally(inner), () => Promise.try(inner),
      () => Promise.all([inner(), thenable]), () => Promise.race([thenable, inner()]),
      () => inner().then(() => { throw 1; }).catch(inner), () => new Promise((resolve) => resolve(inner())),
    ];
    await Promise.all([count("a"), ...ways.map(async (way, at) => seen.push(at + String(await way()))), count("b")]);
    return seen.join();
  })()`;
  const [expected, actual] = [plain, limited].map((realm) => vm.runInContext(code, realm) as Promise<string>);
  expect(await actual).toBe(await expected);
});

test.each([
  "[].concat(list)",
  "list.entries()",
  "list.keys()",
  "list.fill(0)",
  "list.flat()",
  "[[list]].flat(2)",
  "list.toReversed()",
  "list.toSorted()",
  "list.toSpliced(0)",
  "list.with(0, 1)",
  "list.map(String)",
  "list.flatMap(String)",
  "list.filter(String)",
  "list.slice(5)",
  "list.sort()",
  "list.splice(0, 1)",
  "list.values()",
  "Promise.all(list)",
  "Promise.race(list)",
  "Array.fromAsync(list)",
  "Array.from(list)",
  "Array.from({ length: 2 ** 53 - 1 })",
  "[].fill.call({ length: 2 ** 53 - 1 })",
  "text.split('')",
  "text.match(/./g)",
  "text.matchAll(/./g)",
  "text.replace(/x/g, '')",
  "text.replaceAll('x', 'y')",
  "Object.keys(text)",
  "Object.values(text)",
  "Object.entries(text)",
  "Object.assign({}, text)",
  "Object.getOwnPropertyNames(text)",
  "Object.getOwnPropertyDescriptors(text)",
  "Object.keys(new Uint8Array(2 ** 25 + 1))",
  "Object.keys(Object(text))",
  "Object.entries(Object.setPrototypeOf(Object(text), null))",
  "Object.values(list)",
  "Object.assign({}, Object(text))",
  "Object.create(null, Object(text))",
  "Object.defineProperties({}, Object(text))",
  "Reflect.ownKeys(Object(text))",
  "Reflect.ownKeys(new Uint8Array(2 ** 25 + 1))",
  "JSON.stringify(new Uint8Array(2 ** 25 + 1))",
  "Array.from(Object.create({ length: 2 ** 53 - 1 }))",
  "[].concat({ length: 2 ** 53 - 2, [Symbol.isConcatSpreadable]: true })",
  "JSON.parse(text)",
])("it refuses more than it could hold: %s", (code) => {
  const prelude = "const list = []; list.length = 2 ** 31; const text = 'x'.repeat(2 ** 27);";
  expect(() => void vm.runInContext(`{ ${prelude} ${code}; }`, limited)).toThrow("ran out of memory");
});

test.each([
  "list.copyWithin(1, 0)",
  "list.every(String)",
  "list.find(Boolean)",
  "list.findIndex(Boolean)",
  "list.findLast(Boolean)",
  "list.findLastIndex(Boolean)",
  "list.forEach(String)",
  "list.includes(1)",
  "list.indexOf(1)",
  "list.join('')",
  "list.lastIndexOf(1)",
  "list.reduce(String, 1)",
  "list.reduceRight(String, 1)",
  "list.reverse()",
  "list.shift()",
  "list.some(String)",
  "list.toLocaleString()",
  "list.unshift(1)",
  "[].forEach.call({ length: 2 ** 53 - 1 }, String)",
  "[].indexOf.call(Object.create({ length: 2 ** 53 - 1 }), 1)",
  "[].includes.call({ get length() { return 2 ** 53 - 1; } }, 1)",
  "[].lastIndexOf.call({ length: '9007199254740991' }, 1)",
  "[].flat.call({ length: 2 ** 53 - 1 })",
  "BigInt.asIntN(8, '1'.repeat(2 ** 20 + 1))",
  "const sparse = []; sparse[4e9] = 1; sparse.indexOf(1)",
])("it refuses to visit more than it could in time: %s", (code) => {
  const prelude = "const list = []; list.length = 2 ** 32 - 1;";
  expect(() => void vm.runInContext(`{ ${prelude} ${code}; }`, limited)).toThrow("timed out");
});

test("it reads a computed length once more, to know how much there is, and that of an iterable not at all", () => {
  const code =
    "{ let read = 0; const list = { get length() { read += 1; return 2; } }; Array.from(list); [].fill.call(list, 0); Array.from({ __proto__: list, *[Symbol.iterator]() {} }); read; }";
  expect([plain, limited].map((realm): unknown => vm.runInContext(code, realm))).toEqual([2, 4]);
});

const prelude =
  "const search = 'a'.repeat(2 ** 16) + 'b'; const text = ('a'.repeat(2 ** 17) + 'b,').repeat(2);";

test.each([
  "text.indexOf(search)",
  "text.indexOf(search, 1e5)",
  "text.indexOf(search, 3e5)",
  "text.indexOf(search, -1.5)",
  "text.lastIndexOf(search)",
  "text.lastIndexOf(search, 1e5)",
  "text.lastIndexOf(search, 7)",
  "text.lastIndexOf(search, 'x')",
  "text.includes(search, Infinity)",
  "text.includes(search)",
  "text.includes(search + 'b')",
  "text.split(search).map((each) => each.length)",
  "text.split(search, 1).length",
  "text.split(search, 0)",
  "text.split(search + 'b').length",
  "text.replace(search, '[$&$$$1]').length",
  "text.replace(search, (found, at, all) => [found.length, at, all === text]).slice(-140_000, -130_000)",
  'text.replaceAll(search, "$`$\'").length',
  "text.replaceAll(search, '$').slice(-9)",
  "text.replaceAll({ toString: () => search }, 'x').slice(-9)",
])("a search for a long text finds the same as the built-in one: %s", (code) => {
  const [expected, actual] = resultsOf(`(() => { ${prelude} return ${code}; })()`);
  expect(actual).toEqual(expected);
});
