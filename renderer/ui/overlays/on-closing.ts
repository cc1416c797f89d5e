import type { SyntheticEvent } from "react";

type ClosingHandlers = {
  readonly onCancel: (event: SyntheticEvent) => void;
  readonly onClose: () => void;
};

/**
 * The handlers of a dialog that its user closes. After Escape the browser closes it at once, but may say so much later. A shortcut
 * that is pressed meanwhile would be lost. So Escape counts already when the browser asks.
 */
export function onClosing(close: () => void): ClosingHandlers {
  return {
    onCancel: (event) => {
      // A choice of files inside of the dialog can be canceled, too.
      if (event.target === event.currentTarget) close();
    },
    onClose: close,
  };
}
