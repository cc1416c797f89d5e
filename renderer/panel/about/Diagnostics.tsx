import { type ReactNode, useRef, useState } from "react";
import type { DonorSnapshot } from "../../../app/contract/snapshot.ts";
import { Card } from "../../ui/Card.tsx";
import { useNow } from "../../ui/clock.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { copyText } from "../../ui/controls/copy-text.ts";
import { useToast } from "../../ui/overlays/Toast.tsx";
import { useAnswer } from "../state/use-answer.ts";
import { diagnosticsOf } from "./diagnostics.ts";

type Props = { readonly snapshot: DonorSnapshot; readonly initialShown?: boolean };

/** A text for support. Its person reads it before they copy it. */
export function Diagnostics({ snapshot, initialShown = false }: Props): ReactNode {
  const [isShown, setIsShown] = useState(initialShown);
  return (
    <Card title="Diagnostics">
      <p className="text-muted">
        A text for whoever helps you: the version, this computer, and why it donates or not. It contains no
        key, no code, no prompt and no answer.
      </p>
      {isShown ? (
        <Text snapshot={snapshot} onClose={() => setIsShown(false)} />
      ) : (
        <div className="mt-3">
          <Button onClick={() => setIsShown(true)}>Show diagnostics</Button>
        </div>
      )}
    </Card>
  );
}

type TextProps = { readonly snapshot: DonorSnapshot; readonly onClose: () => void };

function Text({ snapshot, onClose }: TextProps): ReactNode {
  const now = useNow();
  // The text does not change while somebody reads it.
  const [opened] = useState({ snapshot, now });
  const computer = useAnswer("computer", null);
  const toast = useToast();
  const element = useRef<HTMLPreElement>(null);
  if (computer.kind === "loading") return <p className="mt-3 text-muted">Looking at this computer…</p>;
  const text = diagnosticsOf(
    opened.snapshot,
    computer.kind === "answered" ? computer.value : null,
    opened.now,
  );
  const copy = async (): Promise<void> => {
    if (element.current === null) return;
    if (await copyText(text, element.current)) toast("Diagnostics copied.");
    else toast("This program may not use the clipboard. The text is selected: copy it yourself.", "bad");
  };
  return (
    <>
      <pre
        ref={element}
        // Somebody without a mouse scrolls lines that have the focus.
        tabIndex={0}
        role="group"
        aria-label="The text of the diagnostics"
        className="mt-3 max-h-80 overflow-y-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs wrap-anywhere whitespace-pre-wrap"
      >
        {text}
      </pre>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button look="primary" autoFocus onClick={() => void copy()}>
          Copy diagnostics
        </Button>
        <Button onClick={onClose}>Hide</Button>
      </div>
    </>
  );
}
