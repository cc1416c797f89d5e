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
    text: (head, piece) => placed(form.text(head, piece)),
    call: (head, part) => {
      const body = form.call(head, part);
      return body === null ? null : placed(body);
    },
    closing: (head, finishReason) => placed(form.closing(head, finishReason)),
    usage: form.usage,
  };
}

/** The choices of a body that a form made. */
export function choicesOf(body: object): readonly object[] {
  return (body as { readonly choices: readonly object[] }).choices;
}
