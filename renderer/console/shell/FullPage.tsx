import type { ReactNode } from "react";
import { Logo } from "../../ui/Logo.tsx";

/** A page with a single message. */
export function FullPage({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ReactNode;
}): ReactNode {
  return (
    <main className="grid min-h-screen place-items-center p-6">
      <div className="w-full max-w-md rounded-lg border border-line bg-surface p-7">
        <p className="mb-5 flex items-center gap-2 font-semibold text-accent">
          <Logo size={22} /> Gleaner
        </p>
        <h1 className="mb-2 text-lg font-semibold">{title}</h1>
        <div className="grid gap-3 text-muted">{children}</div>
      </div>
    </main>
  );
}
