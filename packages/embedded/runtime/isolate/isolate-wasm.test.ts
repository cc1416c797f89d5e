import vm from "node:vm";
import { expect, test } from "vitest";
import { appComponent } from "../../names/table-name.ts";
import { executions, newActionExecution, newCallContext } from "../execution/execution.ts";
import { ExecutionTime } from "../execution/execution-time.ts";
import { watchWasm } from "./isolate-wasm.ts";

const header = [0, 97, 115, 109, 1, 0, 0, 0];
/** Exports `add`, and a table `t` with it. */
const adding = [
  ...[...header, 1, 7, 1, 96, 2, 127, 127, 1, 127, 3, 2, 1, 0, 4, 4, 1, 112, 0, 1],
  ...[7, 11, 2, 3, 97, 100, 100, 0, 0, 1, 116, 1, 0, 9, 7, 1, 0, 65, 0, 11, 1, 0],
  ...[10, 9, 1, 7, 0, 32, 0, 32, 1, 106, 11],
];
/** Exports `f`, which loops forever. */
const endless = [
  ...[...header, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0],
  ...[10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11],
];

const [plain, watched] = [createRealm(), createRealm()];
watchWasm(watched);

function createRealm(): vm.Context {
  const realm = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  Object.assign(realm, { adding: Uint8Array.from(adding), endless: Uint8Array.from(endless) });
  return realm;
}

const instance = (bytes: string) => `new WebAssembly.Instance(new WebAssembly.Module(${bytes}))`;

test.each([
  `(({ exports }) => [exports.add(2, 3), exports.add.length, exports.add === exports.add, Object.keys(exports)])(${instance("adding")})`,
  `(({ exports: { t, add } }) => [t.get(0)(4, 5), t.get(0) === add, t.length])(${instance("adding")})`,
  `(({ exports: { t, add } }) => { t.grow(1, add); t.set(0, null); return [t.get(0), t.get(1)(1, 2)]; })(${instance("adding")})`,
  `(({ exports }) => [Object.isFrozen(exports), Object.getPrototypeOf(exports)])(${instance("adding")})`,
  `${instance("adding")} instanceof WebAssembly.Instance`,
  `(() => { try { new WebAssembly.Instance({}); } catch (error) { return error instanceof TypeError; } })()`,
  `[typeof WebAssembly.instantiate, typeof WebAssembly, WebAssembly.Instance.name]`,
  `(() => { WebAssembly = 5; return WebAssembly; })()`,
])("watched WebAssembly does the same: %s", (code) => {
  const [expected, actual] = [plain, watched].map((realm): unknown =>
    JSON.parse(
      vm.runInContext(
        `JSON.stringify((() => { const kept = WebAssembly; try { return ${code}; } finally { WebAssembly = kept; } })())`,
        realm,
      ) as string,
    ),
  );
  expect(actual).toEqual(expected);
});

test("instances are made of bytes and of modules", async () => {
  const code = `WebAssembly.instantiate(adding).then(async ({ module, instance }) =>
    [instance.exports.add(1, 1), (await WebAssembly.instantiate(module)).exports.add(2, 2)].join())`;
  expect(await vm.runInContext(code, watched)).toBe("2,4");
});

test("a loop is ended with its function's time", () => {
  const context = newCallContext({ identity: { kind: "none" }, requestId: "r" });
  const action = newActionExecution("action", { identifier: "a.js:f", component: appComponent }, context);
  const execution = { ...action, time: new ExecutionTime("total") };
  const loop = (): unknown => {
    execution.time.start();
    return vm.runInContext(`${instance("endless")}.exports.f()`, watched);
  };
  expect(() => executions.run(execution, loop)).toThrow("timed out");
});
