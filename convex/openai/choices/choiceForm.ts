import type { TextForm } from "../answerForm.ts";

/** The bodies of one of several choices. Each body has the choices' list of one. */
export function choiceForm(form: TextForm, index: number): TextForm {
  const placed = (body: object): object => ({
    ...body,
    choices: choicesOf(body).map((choice) => ({ ...choice, index })),
  });
  return {
    whole: (head, result) => placed(form.whole(head, result)),
    opening: (head) => {
      const opening = form.opening(head);
      return opening === null ? null : placed(opening);
    },
    text: (head, text) => placed(form.text(head, text)),
    closing: (head, result) => form.closing(head, result).map(placed),
    usage: form.usage,
  };
}

/** The choices of a body that a form made. */
export function choicesOf(body: object): readonly object[] {
  return (body as { readonly choices: readonly object[] }).choices;
}
