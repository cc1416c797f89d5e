import { X } from "lucide-react";
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from "react";
import { Button } from "../controls/Button.tsx";
import { cx } from "../cx.ts";
import { StatusDot } from "../StatusDot.tsx";
import type { Tone } from "../tone.ts";

type Note = {
  readonly id: number;
  readonly tone: Tone;
  readonly text: string;
  readonly undo?: (() => void) | undefined;
};
/** `undoForMs`: how long the undo is possible, if that is not the usual time. */
type Show = (text: string, tone?: Tone, undo?: () => void, undoForMs?: number) => void;

const ShowToast = createContext<Show>(() => undefined);

/**
 * Shows a short note at the bottom, with a button that undoes the change if it can be. Errors stay until somebody
 * dismisses them. A wide window shows it at the right, away from the page's own buttons.
 */
export function useToast(): Show {
  return useContext(ShowToast);
}

const goodMs = 4_000;
/** Longer, so that somebody has time to undo. */
const undoMs = 12_000;
const most = 3;

export function ToastProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [notes, setNotes] = useState<readonly Note[]>([]);
  const nextId = useRef(0);
  const dismiss = useCallback((id: number) => {
    setNotes((all) => all.filter((note) => note.id !== id));
  }, []);
  const show = useCallback<Show>(
    (text, tone = "good", undo, undoForMs = undoMs) => {
      const id = nextId.current++;
      setNotes((all) => [...all, { id, tone, text, undo }].slice(-most));
      if (tone !== "bad") setTimeout(() => dismiss(id), undo === undefined ? goodMs : undoForMs);
    },
    [dismiss],
  );
  return (
    <ShowToast value={show}>
      {children}
      <div
        aria-live="polite"
        className="pointer-events-none fixed inset-x-0 bottom-3 z-40 grid justify-items-center gap-2 px-3 sm:justify-items-end sm:px-4"
      >
        {notes.map((note) => (
          <ToastNote key={note.id} note={note} onDismiss={() => dismiss(note.id)} />
        ))}
      </div>
    </ShowToast>
  );
}

export function ToastNote({
  note,
  onDismiss,
}: {
  readonly note: Omit<Note, "id">;
  readonly onDismiss: () => void;
}): ReactNode {
  return (
    <div
      role={note.tone === "bad" ? "alert" : "status"}
      className={cx(
        "pointer-events-auto flex max-w-md animate-appear items-center gap-2.5 rounded-md border bg-raised py-1.5 pr-1.5 pl-3 shadow-pop",
        note.tone === "bad" ? "border-bad" : "border-line",
      )}
    >
      <StatusDot tone={note.tone} />
      <span className="min-w-0 break-words">{note.text}</span>
      {note.undo === undefined ? null : (
        <Button
          size="sm"
          onClick={() => {
            note.undo?.();
            onDismiss();
          }}
        >
          Undo
        </Button>
      )}
      <Button look="quiet" size="sm" aria-label="Dismiss" onClick={onDismiss}>
        <X aria-hidden size={14} />
      </Button>
    </div>
  );
}
