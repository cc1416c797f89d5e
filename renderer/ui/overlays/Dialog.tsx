import { type ReactNode, useId, useLayoutEffect, useRef } from "react";
import { onClosing } from "./on-closing.ts";

type Props = { readonly title: string; readonly onClose: () => void; readonly children: ReactNode };

const controls = "a, button, input, select, textarea";

/**
 * A modal dialog. It is open while it is rendered, so each opening starts with fresh state. The browser's own
 * `<dialog>` traps the focus and closes on Escape. It needs no inline styles, which the panel's content security
 * policy forbids.
 */
export function Dialog({ title, onClose, children }: Props): ReactNode {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // The browser focuses the first element that can have the focus. A time or a text to scroll is no place to begin.
    if (document.activeElement?.matches(controls) !== true && heading.current !== null) {
      // In the markup it would get the focus before every control.
      heading.current.tabIndex = -1;
      heading.current.focus();
    }
    // Only a dialog that closes before its removal returns the focus.
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      {...onClosing(onClose)}
      className="m-auto w-[min(34rem,calc(100vw-2rem))] scroll-pb-18 rounded-lg border border-line bg-raised p-5 text-ink shadow-pop backdrop:bg-[rgb(0_0_0/0.45)]"
    >
      <h2 ref={heading} id={id} className="mb-2 text-base font-semibold wrap-anywhere outline-none">
        {title}
      </h2>
      {children}
    </dialog>
  );
}

/** The dialog's buttons. They stay in view while a long dialog scrolls beneath them. */
export function DialogActions({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="sticky -bottom-5 z-1 -mx-5 mt-2 -mb-5 flex flex-wrap justify-end gap-2 bg-raised px-5 pt-3 pb-5">
      {children}
    </div>
  );
}
