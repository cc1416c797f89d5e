import type { ReactNode } from "react";

type Props = {
  readonly back: { readonly href: string; readonly words: string };
  /** Undefined while it loads. */
  readonly title: string | undefined;
  /** Beside the title: its state. */
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
};

/** The head of a page of one thing: the way back to the list, its name, its state and the acts on it. */
export function SubPageHead({ back, title, children, actions }: Props): ReactNode {
  return (
    <div className="grid gap-1.5">
      <a href={back.href} className="justify-self-start text-xs font-medium text-accent hover:underline">
        ← {back.words}
      </a>
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          {title === undefined ? null : <h2 className="text-lg font-semibold wrap-anywhere">{title}</h2>}
          {children}
        </div>
        {actions}
      </div>
    </div>
  );
}
