import { reserveCopy, reserveTexts } from "./reserve.ts";

/** Call it before Node copies a body. */
export function reserveBody(body: unknown): void {
  if (typeof body === "string") reserveCopy(body.length);
  else if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) reserveCopy(body.byteLength);
  else if (body instanceof FormData || body instanceof URLSearchParams) reserveCopy(lengthOfPairs(body));
}

type Each = (this: object, act: (value: unknown, name: string) => void) => void;
const eachOfForm = Reflect.get(FormData.prototype, "forEach") as Each;
const eachParameter = Reflect.get(URLSearchParams.prototype, "forEach") as Each;

/** The number of all characters. */
function lengthOfPairs(body: FormData | URLSearchParams): number {
  let length = 0;
  const count = (value: unknown, name: string): void => {
    length += name.length + (typeof value === "string" ? value.length : 0);
  };
  Reflect.apply(body instanceof FormData ? eachOfForm : eachParameter, body, [count]);
  return length;
}

type Methods = Readonly<Record<string, (this: unknown, ...args: never) => unknown>>;

/** Lets parameters say how long they are: Node makes their text in one go. */
export function limitParameters(): void {
  const own: (this: unknown) => string = Reflect.get(URLSearchParams.prototype, "toString");
  const methods: Methods = {
    toString() {
      if (this instanceof URLSearchParams) reserveCopy(lengthOfPairs(this));
      return Reflect.apply(own, this, []);
    },
  };
  Object.defineProperty(URLSearchParams.prototype, "toString", { value: methods["toString"] });
}

const functions = {
  structuredClone: (value: unknown, options?: StructuredSerializeOptions): unknown => {
    reserveTexts(value);
    return structuredClone(value, options);
  },
};
/** `structuredClone`, which copies all texts of a list in one go. */
export const cloneOf = functions.structuredClone;

/** A class of Blobs, which encode all texts of a list in one go. */
export function withReservedTexts<T extends object>(blobs: T): T {
  return new Proxy(blobs, {
    construct(target, args: readonly unknown[], newTarget) {
      reserveTexts(args[0]);
      return Reflect.construct(target as never, args, newTarget) as object;
    },
  });
}
