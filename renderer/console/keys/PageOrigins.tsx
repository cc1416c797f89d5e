import { type ReactNode, useState } from "react";
import { plural } from "../../../app/format/quantity.ts";
import { type Origins, parseOrigins } from "../../../app/keys/origins.ts";
import { Button } from "../../ui/controls/Button.tsx";
import { TextArea } from "../../ui/controls/TextArea.tsx";
import { Dialog } from "../../ui/overlays/Dialog.tsx";
import { DialogForm } from "../../ui/overlays/DialogForm.tsx";
import { type Change, ReviewChanges } from "../../ui/overlays/ReviewChanges.tsx";

type Props = {
  /** The organization's list; null: it has none. */
  readonly own: Origins;
  /** The operator's list, which counts without one; null: all pages. */
  readonly operators: Origins;
  /** Null for those who may not set it. */
  readonly onSet: ((origins: string[] | null) => void) | null;
  /** Whether the dialog is open from the start. */
  readonly initiallyOpen?: boolean;
};

/** Shows which pages may call the API from browsers, and sets it after a preview. */
export function PageOrigins(props: Props): ReactNode {
  const { own, operators, onSet, initiallyOpen = false } = props;
  const [open, setOpen] = useState(initiallyOpen);
  return (
    <>
      <div className="flex items-center justify-between gap-3 border-t border-line px-4 py-1.5 text-xs text-muted">
        <p className="min-w-0 wrap-anywhere">{pagesWords(own ?? operators)}</p>
        {onSet === null ? null : (
          <Button size="sm" look="quiet" className="-mr-2.5" onClick={() => setOpen(true)}>
            Change pages
          </Button>
        )}
      </div>
      {open && onSet !== null ? (
        <OriginsDialog {...props} onSet={onSet} onClose={() => setOpen(false)} />
      ) : null}
    </>
  );
}

type DialogProps = Omit<Props, "initiallyOpen" | "onSet"> & {
  readonly onSet: NonNullable<Props["onSet"]>;
  readonly onClose: () => void;
};

function OriginsDialog({ own, operators, onSet, onClose }: DialogProps): ReactNode {
  const [typed, setTyped] = useState((own ?? []).join("\n"));
  const [isReviewed, setIsReviewed] = useState(false);
  const parsed = parseOrigins(typed);
  if (isReviewed && parsed.kind === "ok") {
    return (
      <ReviewChanges
        title="Change the pages that may call the API?"
        changes={changesOf(own ?? operators, parsed.origins ?? operators)}
        onSave={() => {
          onSet(parsed.origins);
          onClose();
        }}
        onBack={() => setIsReviewed(false)}
      >
        <p>
          The API refuses calls of pages that are not listed. Programs outside of browsers notice nothing, and
          the console’s own pages may always call. You can undo this.
        </p>
      </ReviewChanges>
    );
  }
  return (
    <Dialog title="Pages in browsers" onClose={onClose}>
      <DialogForm
        action="Preview"
        disabled={parsed.kind === "wrong" || isEqual(parsed.origins, own)}
        onSubmit={() => {
          setIsReviewed(true);
          return undefined;
        }}
        onClose={onClose}
      >
        <p className="text-xs text-muted">
          A page in a browser may call the API only if its origin is allowed. Whoever opens such a page can
          read its API key. Without a list this holds: {pagesWords(operators)}
        </p>
        <TextArea
          label="Origins"
          hint="One a line, such as https://chat.example.com. A * allows all pages."
          rows={5}
          code
          value={typed}
          error={parsed.kind === "wrong" ? parsed.why : null}
          onChange={(event) => setTyped(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}

const isEqual = (a: Origins, b: Origins): boolean => JSON.stringify(a) === JSON.stringify(b);

const isEveryPage = (origins: Origins): boolean => origins === null || origins.includes("*");

function pagesWords(origins: Origins): string {
  if (origins === null || isEveryPage(origins)) return "All pages in browsers may call the API.";
  if (origins.length === 0) return "In browsers only the console’s own pages may call the API.";
  const more = origins.length - 3;
  const first = origins.slice(0, 3).join(", ");
  const shown = more > 0 ? `${first} and ${plural(more, ["# other origin", "# other origins"])}` : first;
  return `Pages of ${shown} may call the API from browsers.`;
}

function changesOf(before: Origins, after: Origins): readonly Change[] {
  const names = (origins: Origins): readonly string[] =>
    origins === null || isEveryPage(origins) ? ["All pages"] : origins;
  const [was, is] = [names(before), names(after)];
  const change = (name: string, from: string, to: string): Change => ({ name, before: from, after: to });
  return [
    ...is.filter((each) => !was.includes(each)).map((each) => change(each, "Not allowed", "Allowed")),
    ...was.filter((each) => !is.includes(each)).map((each) => change(each, "Allowed", "Not allowed")),
  ];
}
