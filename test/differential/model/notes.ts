import type { Value } from "convex/values";
import type { Fields, NoteOperation, NoteRef, NoteResult, Source } from "../convex/noteProgram.ts";
import { idOf, type Note, shown } from "./note.ts";
import { entriesOf } from "./sources.ts";

/** Thrown by a function that fails, after its writes were taken back. */
class RolledBack extends Error {}

/** The message of an operation that Convex refuses, by kind. */
class Refused extends Error {}

/** A naive model of Convex's documents: a list, and a copy of it for whatever may be rolled back. */
export class Notes {
  #notes: readonly Note[] = [];
  #created = 0;
  #touched: readonly Note[] = [];

  get all(): readonly Note[] {
    return this.#notes;
  }

  /** Takes the versions of notes that the last mutation replaced or added. */
  takeTouched(): readonly Note[] {
    const touched = this.#touched;
    this.#touched = [];
    return touched;
  }

  /** Runs a function's operations. Null: it failed, and nothing of it remains. */
  run(operations: readonly NoteOperation[]): readonly NoteResult[] | null {
    try {
      return this.#transaction(operations, false);
    } catch (error) {
      if (error instanceof RolledBack) return null;
      throw error;
    }
  }

  /** Runs the operations of a function that does not await them. It has to end with them all the same. */
  leave(operations: readonly NoteOperation[], rejects: boolean): boolean {
    try {
      this.#transaction(operations, rejects);
      return true;
    } catch (error) {
      if (error instanceof RolledBack) return false;
      throw error;
    }
  }

  #transaction(operations: readonly NoteOperation[], fails: boolean): readonly NoteResult[] {
    const [notes, touched] = [this.#notes, this.#touched];
    try {
      const results = operations.map((operation) => this.#resultOf(operation));
      if (fails) throw new RolledBack();
      return results;
    } catch (error) {
      [this.#notes, this.#touched] = [notes, touched];
      throw error;
    }
  }

  #resultOf(operation: NoteOperation): NoteResult {
    try {
      return { value: this.#perform(operation) };
    } catch (error) {
      if (error instanceof Refused) return { error: error.message };
      if (operation.do === "nested" && operation.caught) return { error: "rolled back" };
      throw error;
    }
  }

  #perform(operation: NoteOperation): Value {
    if ("ref" in operation && "created" in operation.ref && this.#created === 0) return null;
    switch (operation.do) {
      case "insert": {
        checkNames(operation.value);
        checkTopNames(operation.value);
        const note = { number: this.#created++, fields: operation.value };
        this.#notes = [...this.#notes, note];
        this.#touched = [...this.#touched, note];
        return idOf(note.number);
      }
      case "patch": {
        checkNames(operation.value);
        const note = this.#existing(operation.ref);
        const merged = Object.entries({ ...note.fields, ...operation.value });
        const kept = merged.filter(([field]) => !operation.unset.includes(field));
        return this.#replace(note, Object.fromEntries(kept));
      }
      case "replace":
        checkNames(operation.value);
        return this.#replace(this.#existing(operation.ref), operation.value);
      case "delete": {
        const note = this.#existing(operation.ref);
        this.#notes = this.#notes.filter((each) => each !== note);
        this.#touched = [...this.#touched, note];
        return null;
      }
      case "get": {
        const note = this.#find(operation.ref);
        return note === null ? null : shown(note);
      }
      case "normalizeId":
        return "created" in operation.ref ? idOf(this.#numberOf(operation.ref)) : null;
      case "take":
        return this.#take(operation.source, operation.count ?? Infinity);
      case "nested":
        return [...this.#transaction(operation.operations, operation.fails)];
    }
  }

  #take(source: Source, count: number): Value {
    const found = entriesOf(this.#notes, source).filter(({ passes }) => passes);
    return found.slice(0, count).map(({ note }) => shown(note));
  }

  #replace(note: Note, fields: Fields): Value {
    checkTopNames(fields);
    const changed = { number: note.number, fields };
    this.#notes = this.#notes.map((each) => (each === note ? changed : each));
    this.#touched = [...this.#touched, note, changed];
    return null;
  }

  #existing(ref: NoteRef): Note {
    const note = this.#find(ref);
    if (note === null) throw new Refused("no such document");
    return note;
  }

  #find(ref: NoteRef): Note | null {
    if ("nonsense" in ref) throw new Refused("wrong id");
    if ("stray" in ref) return null;
    const number = this.#numberOf(ref);
    return this.#notes.find((note) => note.number === number) ?? null;
  }

  #numberOf({ created }: { created: number }): number {
    return created % this.#created;
  }
}

/** No name may begin with "$" or have other than printable ASCII characters, however deep. Empty ones are allowed. */
function checkNames(value: Value): void {
  if (typeof value !== "object" || value === null || value instanceof ArrayBuffer) return;
  if (!Array.isArray(value) && !Object.keys(value).every((name) => /^(?!\$)[ -~]*$/.test(name))) {
    throw new Refused("name");
  }
  for (const each of Object.values(value)) checkNames(each as Value);
}

/** Names with an underscore are Convex's own, but only those of the document itself. */
function checkTopNames(fields: Fields): void {
  if (Object.keys(fields).some((name) => name.startsWith("_"))) throw new Refused("name");
}
