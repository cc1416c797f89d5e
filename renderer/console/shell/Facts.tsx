import type { ReactNode } from "react";

/** The facts of one thing: names at the left, values at the right. */
export function Facts({ children }: { readonly children: ReactNode }): ReactNode {
  return <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}
