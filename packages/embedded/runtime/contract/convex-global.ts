/** The `Convex` global, through which the convex package reaches the backend. */
export type ConvexGlobal = {
  readonly syscall: (op: string, argsJson: string) => string;
  readonly asyncSyscall: (op: string, argsJson: string) => Promise<string>;
  readonly jsSyscall: (op: string, args: unknown) => unknown;
};
