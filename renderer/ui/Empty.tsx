import type { ReactNode } from "react";

type Props = { readonly title: string; readonly children?: ReactNode; readonly action?: ReactNode };

/** Fills an empty place. Says what will appear there and how. */
export function Empty({ title, children, action }: Props): ReactNode {
  return (
    <div className="grid justify-items-center gap-1 px-6 py-8 text-center">
      <p className="font-medium">{title}</p>
      {children === undefined ? null : <div className="max-w-sm text-balance text-muted">{children}</div>}
      {action === undefined ? null : <div className="mt-3">{action}</div>}
    </div>
  );
}
