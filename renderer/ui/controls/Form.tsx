import type { ReactNode } from "react";

type Props = {
  readonly className?: string;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
};

/** A form whose owner validates it. Enter submits it. */
export function Form({ className = "grid gap-3", onSubmit, children }: Props): ReactNode {
  return (
    <form
      noValidate
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
