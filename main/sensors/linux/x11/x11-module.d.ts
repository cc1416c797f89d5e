/** Types for the used part of the package `x11`, which has none of its own. */
declare module "x11" {
  import type { EventEmitter } from "node:events";

  type Reply<T> = (error: Error | null | undefined, value: T) => unknown;

  type Property = { readonly type: number; readonly data: Buffer };

  type SyncExtension = {
    readonly ValueType: { readonly Absolute: number };
    readonly TestType: { readonly PositiveTransition: number; readonly NegativeTransition: number };
    ListSystemCounters(reply: Reply<readonly { readonly counter: number; readonly name: string }[]>): void;
    QueryCounter(counter: number, reply: Reply<number>): void;
    CreateAlarm(id: number, values: Readonly<Record<string, number>>): void;
  };

  type DpmsExtension = { Info(reply: Reply<readonly [level: number, enabled: number]>): void };

  interface XClient extends EventEmitter {
    AllocID(): number;
    InternAtom(onlyIfExists: boolean, name: string, reply: Reply<number>): void;
    GetProperty(
      remove: number,
      window: number,
      property: number,
      type: number,
      offset: number,
      length: number,
      reply: Reply<Property>,
    ): void;
    ChangeWindowAttributes(window: number, values: { readonly eventMask: number }, done: Reply<void>): void;
    SendEvent(window: number, propagate: boolean, eventMask: number, event: Buffer): void;
    require(extension: "sync", reply: Reply<SyncExtension>): void;
    require(extension: "dpms", reply: Reply<DpmsExtension>): void;
    terminate(): void;
    /** Undefined until the socket's first answer. */
    readonly stream?: { destroy(): void };
  }

  type Display = { readonly client: XClient; readonly screen: readonly { readonly root: number }[] };

  const eventMask: { readonly PropertyChange: number };
  function createClient(
    options: { readonly display: string; readonly shm: false; readonly disableBigRequests: true },
    ready: Reply<Display>,
  ): XClient;
  export {
    createClient,
    type Display,
    type DpmsExtension,
    eventMask,
    type Property,
    type SyncExtension,
    type XClient,
  };
}
