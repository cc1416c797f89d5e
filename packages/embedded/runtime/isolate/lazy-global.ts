import type vm from "node:vm";

/** Defines a global that is made when code first reads it. Each world has it anew, and most never use it. */
export function lazyGlobal(global: vm.Context, name: string, make: () => unknown): void {
  const set = (value: unknown): void => {
    Object.defineProperty(global, name, { value, writable: true, configurable: true });
  };
  const get = (): unknown => {
    const value = make();
    set(value);
    return value;
  };
  Object.defineProperty(global, name, { get, set, configurable: true });
}
