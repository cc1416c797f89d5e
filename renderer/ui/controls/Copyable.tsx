import { type ReactNode, useEffect, useRef, useState } from "react";
import { cx } from "../cx.ts";
import { Words } from "../Words.tsx";
import { Button } from "./Button.tsx";
import { copyText } from "./copy-text.ts";

type Props = {
  readonly text: string;
  readonly label: string;
  /** Several lines, which scroll. */
  readonly block?: boolean;
  /** One long command, which wraps between its words. */
  readonly wrap?: boolean;
  readonly autoFocus?: boolean;
};

/** Monospaced text with a copy button. Without access to the clipboard the text is selected. */
export function Copyable({ text, label, block = false, wrap = false, autoFocus = false }: Props): ReactNode {
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  const code = useRef<HTMLElement>(null);
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), 2_000);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async (): Promise<void> => {
    if (code.current === null) return;
    setState((await copyText(text, code.current)) ? "copied" : "failed");
  };
  return (
    <div
      className={cx(
        "flex gap-2 rounded-md border border-line bg-sunken p-1.5 pl-3",
        block || wrap ? "items-start" : "items-center",
      )}
    >
      <code
        ref={code}
        // Somebody without a mouse scrolls lines that have the focus.
        tabIndex={block ? 0 : undefined}
        role={block ? "group" : undefined}
        aria-label={block ? label : undefined}
        className={cx(
          "min-w-0 flex-1 font-mono text-xs select-all",
          block ? "max-h-60 overflow-auto py-1.5 whitespace-pre" : wrap ? "py-1.5 text-ink" : "break-words",
        )}
      >
        {wrap ? <Words text={text} /> : text}
      </code>
      <Button size="sm" className="w-22" autoFocus={autoFocus} onClick={() => void copy()}>
        <span aria-live="polite">
          {state === "copied" ? "Copied" : state === "failed" ? "Select text" : "Copy"}
        </span>
        <span className="sr-only"> {label}</span>
      </Button>
    </div>
  );
}
