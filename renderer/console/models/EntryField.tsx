import { type ReactNode, useId, useState } from "react";
import { formatBytes, plural } from "../../../app/format/quantity.ts";
import { Copyable } from "../../ui/controls/Copyable.tsx";
import { TextArea } from "../../ui/controls/TextArea.tsx";
import { needWords } from "./file-facts.ts";
import { FitLinks } from "./FitLinks.tsx";
import { type EntryFields, readEntry } from "./model-form.ts";

/** Longer files are no entries: even 4,096 hashes take less. */
const maxBytes = 4_000_000;

/** The way for a file on the admin's own computer: a command describes it, and its output fills the form. */
export function EntryField({ onRead }: { readonly onRead: (fields: EntryFields) => void }): ReactNode {
  const [text, setText] = useState("");
  const [isTooLarge, setIsTooLarge] = useState(false);
  const fileId = useId();
  const outcome = text.trim() === "" ? null : readEntry(text);
  const take = (next: string): void => {
    setText(next);
    setIsTooLarge(false);
    const entry = readEntry(next);
    if (entry.kind === "read") onRead(entry.fields);
  };
  const choose = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    if (file.size <= maxBytes) {
      take(await file.text());
      return;
    }
    setText("");
    setIsTooLarge(true);
  };
  return (
    <div className="grid gap-3">
      <ol className="grid list-decimal gap-3 pl-5">
        <li>
          Put the file where your devices can download it: on a web server of yours with https, or on Hugging
          Face.
        </li>
        <li>
          <div className="grid gap-1.5">
            <p>
              On the computer with the file, run this in a clone of Gleaner’s repository, with the file’s name
              and that address. It reads the file and uploads nothing.
            </p>
            <Copyable
              wrap
              label="the command"
              text="npx gleaner entry model.gguf --source https://models.example.org/model.gguf"
            />
          </div>
        </li>
        <li>
          <div className="grid gap-2">
            <TextArea
              code
              rows={3}
              label="Paste what it printed"
              value={text}
              error={outcome?.kind === "wrong" ? outcome.why : null}
              onChange={(event) => take(event.target.value)}
            />
            <div className="grid gap-1">
              <label htmlFor={fileId} className="font-medium">
                Or choose a file with it
              </label>
              <input
                id={fileId}
                type="file"
                accept=".json,application/json"
                onChange={(event) => void choose(event.target.files?.[0])}
                className="text-xs text-muted file:mr-3 file:h-7 file:rounded-md file:border file:border-line file:bg-surface file:px-2.5 file:text-xs file:font-medium file:text-ink"
              />
              {isTooLarge ? (
                <p role="alert" className="text-xs text-bad">
                  This file is too large for what the command prints. Choose its output, not the model’s file.
                </p>
              ) : null}
            </div>
          </div>
        </li>
      </ol>
      {outcome?.kind === "read" ? (
        <div role="status" className="grid gap-1 text-xs">
          <p>{readWords(outcome.fields)}</p>
          {outcome.needsBytes === null ? null : (
            <>
              <p>{needWords(outcome.needsBytes)}</p>
              <FitLinks needsBytes={outcome.needsBytes} />
            </>
          )}
        </div>
      ) : null}
    </div>
  );
}

function readWords({ modelId, sizeBytes, pieces }: EntryFields): string {
  const size = formatBytes(Number(sizeBytes));
  return pieces === null
    ? `The entry of ${modelId}, ${size}. It has no hashes of pieces, so devices share only complete files.`
    : plural(pieces.pieceHashes.length, [
        `The entry of ${modelId}, ${size}, with the hash of # piece. Devices on one network can share it.`,
        `The entry of ${modelId}, ${size}, with the hashes of # pieces. Devices on one network can share them.`,
      ]);
}
