import { type ReactNode, useLayoutEffect, useRef } from "react";
import { onClosing } from "./on-closing.ts";

type Props = { readonly label: string; readonly onClose: () => void; readonly children: ReactNode };

/** A panel at the left edge over the page. It is open while it is rendered. Escape and a click beside it close it. */
export function Drawer({ label, onClose, children }: Props): ReactNode {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // Only a dialog that closes before its removal returns the focus.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-label={label}
      {...onClosing(onClose)}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
      className="m-0 h-dvh max-h-none w-72 max-w-[85vw] animate-appear border-r border-line bg-surface text-ink shadow-pop backdrop:bg-[rgb(0_0_0/0.45)]"
    >
      <div className="flex h-full flex-col">{children}</div>
    </dialog>
  );
}
