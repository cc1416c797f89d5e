import { type ReactNode, useEffect, useId, useRef } from "react";

type Props = {
  readonly open: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/**
 * A modal dialog on the browser's own `<dialog>`: it keeps the focus inside, gives it back, and closes on
 * Escape without injecting a style sheet, so that the panel's content security policy can forbid inline ones.
 */
export function Dialog({ open, title, onClose, children }: Props): ReactNode {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog === null) return;
    if (open && !dialog.open) dialog.showModal();
    if (!open && dialog.open) dialog.close();
  }, [open]);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onClose={onClose}
      className="m-auto w-[min(34rem,calc(100vw-2rem))] rounded-lg border border-line bg-raised p-0 text-ink shadow-pop backdrop:bg-black/45"
    >
      {open ? (
        <div className="p-5">
          <h2 id={id} className="mb-2 text-base font-semibold">
            {title}
          </h2>
          {children}
        </div>
      ) : null}
    </dialog>
  );
}

export function DialogActions({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>;
}
